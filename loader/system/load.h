// The whole pipeline: look, plan, open, verify, and keep the report. One load at a time in a process.
#pragma once

#include "loader/reason.h"
#include "loader/system/answer.h"
#include "loader/system/open.h"
#include "loader/system/options.h"

namespace myops::system {

// Status 1 where something required cannot be served, something planned failed, or there is no torch to load into.
// Where something required is missing nothing is opened. A library that is in the process is not opened again, so it
// may be called as often as one likes; a later call takes what was installed since. Errors are wrong options (`options`
// as they were parsed), and a call from within a load (a plugin's constructor). Whatever comes of it, but for that last
// one, is logged, written to MYOPS_REPORT and kept.
Result<Answer> load(const Result<Options>& options, const Opener& open);

}  // namespace myops::system
