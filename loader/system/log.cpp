#include "loader/system/log.h"

#include <cxxabi.h>

#include <cstdio>
#include <mutex>

#include "loader/printable.h"
#include "loader/system/process_locks.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

struct Sink {
  LogCallback callback = nullptr;
  void* user = nullptr;
};

Sink current_sink;

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kInfo:
      return "info";
    default:
      return "debug";
  }
}

// The lock is not held while the callback runs: it may wait for a lock (Python's) whose holder is about to log.
Sink sink_now() {
  const std::lock_guard lock(process_lock(ProcessLock::kLog));
  return current_sink;
}

// An exception of a host's callback would end the load in its middle, and lose the report of what is open. The end of a
// thread (pthread_cancel) is one that nobody may hold up.
void tell(const Sink& sink, LogLevel level, const std::string& line) {
  try {
    sink.callback(name_of(level), line.c_str(), sink.user);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
  }
}

bool is_silent(const std::string& wanted) { return wanted.empty() || wanted == "0" || wanted == "off"; }

// MYOPS_LOG; a word that is none of ours asks for something, so it is not passed over.
bool goes_to_stderr(LogLevel level) {
  const std::string wanted = variable("MYOPS_LOG").value_or("");
  if (is_silent(wanted)) return false;
  if (wanted == "error") return level <= LogLevel::kError;
  if (wanted == "plan") return level <= LogLevel::kInfo;
  return level <= LogLevel::kWarn;
}

}  // namespace

void set_log(LogCallback callback, void* user) {
  const std::lock_guard lock(process_lock(ProcessLock::kLog));
  current_sink = {callback, user};
}

bool is_log_setting(const std::string& value) {
  return is_silent(value) || value == "error" || value == "warn" || value == "plan";
}

bool is_heard(LogLevel level) { return goes_to_stderr(level) || sink_now().callback != nullptr; }

void log(LogLevel level, const std::string& text) {
  const bool to_stderr = goes_to_stderr(level);
  const Sink sink = sink_now();
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::string shown = printable(line);
    if (to_stderr) std::fprintf(stderr, "myops: %s\n", shown.c_str());
    if (sink.callback != nullptr) tell(sink, level, shown);
  }
}

}  // namespace myops::system
