// MYOPS_REPORT: a load's report, written where the user asked for it.
#pragma once

#include <optional>
#include <string>

#include "loader/system/answer.h"

namespace myops::system {

// Writes the JSON to `path`, as write_text() does. Where it failed, path and cause in words, for a note: a report that
// cannot be written stops no load.
std::optional<std::string> write_report(const std::string& path, const Answer& answer);

}  // namespace myops::system
