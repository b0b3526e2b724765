// Operators × dispatch keys of this process, with the library that provides each kernel.
#pragma once

#include "loader/reason.h"
#include "loader/system/answer.h"
#include "loader/system/options.h"

namespace myops::system {

// options.op narrows it to one operator ("rms_norm", "myops::rms_norm", all overloads). Status 1 where no torch is in
// this process, its dispatcher cannot be asked, or there is no such operator. Errors are wrong options.
Result<Answer> table(const Options& options);

}  // namespace myops::system
