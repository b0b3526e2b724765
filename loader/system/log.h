// What the loader has to say while it works. It goes to the host's callback, and to stderr where MYOPS_LOG asks for it;
// nowhere else.
#pragma once

#include <string>

namespace myops::system {

enum class LogLevel { kError, kWarn, kInfo, kDebug };

using LogCallback = void (*)(const char* level, const char* line, void* user);

// From any thread; nullptr stops it, though a line that another thread is saying may still arrive. The callback is
// called by the thread that loads.
void set_log(LogCallback callback, void* user);

// Is it a value of MYOPS_LOG: unset, "error", "warn", "plan", "off" or "0"?
bool is_log_setting(const std::string& value);

// Does anybody listen to lines of this level?
bool is_heard(LogLevel level);

// Says each line of `text`, control characters in it as \xNN. A file may be named anything: its name in `text` must
// have gone through printable(), or a line break in it makes a line of its own. MYOPS_LOG=error|warn|plan sends errors;
// and warnings; and the plan and what became of it to stderr.
void log(LogLevel level, const std::string& text);

}  // namespace myops::system
