// The answers that only look: nothing is loaded. Each may be asked from any thread.
#pragma once

#include "loader/reason.h"
#include "loader/system/answer.h"
#include "loader/system/options.h"

namespace myops::system {

// The options with what the NVIDIA driver says of the GPUs, where there are some and there is a helper to ask it by; or
// a note why it says nothing.
Options with_driver(const Options& options);

// Errors are wrong options.
Result<Answer> list(const Options& options);    // every candidate and its verdict
Result<Answer> check(const Options& options);   // the named files; status 1 where one of them would not load
Result<Answer> plan(const Options& options);    // what would be loaded; status 1 where something required could not be
Result<Answer> doctor(const Options& options);  // all of it, for a bug report
Result<Answer> facts(const Options& options);   // this machine, as the "host" option takes it

}  // namespace myops::system
