// MYOPS_REPORT: a load's report, written where the user asked for it.
#pragma once

#include <string>

#include "loader/system/answer.h"

namespace myops::system {

// Writes the JSON to `path`, replacing what is there. A failure is an error line in the log: a report that cannot be
// written stops no load.
void write_report(const std::string& path, const Answer& answer);

}  // namespace myops::system
