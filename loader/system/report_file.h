// MYOPS_REPORT: a load's report, written where the user asked for it.
#pragma once

#include <optional>
#include <string>

#include "loader/system/answer.h"

namespace myops::system {

// Writes the JSON to `path`, replacing what is there: a file as a whole, so that nobody reads half of it, anything else
// (a pipe, a device, a link) in place. Raises no SIGPIPE. Where it failed, path and cause in words, for a note: a
// report that cannot be written stops no load.
std::optional<std::string> write_report(const std::string& path, const Answer& answer);

}  // namespace myops::system
