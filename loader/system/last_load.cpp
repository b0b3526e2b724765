#include "loader/system/last_load.h"

#include <mutex>
#include <utility>

#include "loader/printable.h"
#include "loader/rules/absent.h"
#include "loader/system/process_locks.h"

namespace myops::system {
namespace {

struct Last {
  std::optional<Answer> answer;
  std::optional<rules::Report> report;
};

// Never destroyed: another thread, or a destructor at exit, may still ask.
Last& last() {
  static auto* const kept = new Last;
  return *kept;
}

}  // namespace

void keep_last(Answer answer, std::optional<rules::Report> report) {
  const std::lock_guard lock(process_lock(ProcessLock::kReport));
  last().answer = std::move(answer);
  if (report) last().report = std::move(report);  // a fault tells nothing of what is in the process
}

Answer last_report() {
  const std::lock_guard lock(process_lock(ProcessLock::kReport));
  if (last().answer) return *last().answer;
  return error_answer({Code::kBadOption, "the report", "a load before it", "none in this process yet", ""},
                      kCannotLoad);
}

Answer missing_kernel(const std::string& op, const std::string& key) {
  const std::lock_guard lock(process_lock(ProcessLock::kReport));
  const std::string text = last().report ? rules::absent_text(*last().report, op, key)
                                         : op + " has no " + key + " kernel: no load in this process knows why";
  return {kFine, boost::json::object({{"op", valid_utf8(op)}, {"key", valid_utf8(key)}, {"text", printable(text)}})};
}

}  // namespace myops::system
