// Does what may end the process in a process of its own: loading, and asking the dispatcher what came of it.
//
// The parent starts options.helper with two more arguments, a task and an options object; the child must pass them to
// run_task().
#pragma once

#include <string>

#include "loader/reason.h"
#include "loader/system/answer.h"
#include "loader/system/options.h"

namespace myops::system {

// Runs `task` in a child: "load" (its answer is that of load()) or "table" (load, then table()). `text` is the options
// object as it came in; the child opens torch where it has none. A child that dies or does not end is an answer of
// status 1 that says how, and at which file. Errors are wrong options.
Result<Answer> in_child(const std::string& task, const std::string& text, const Options& options);

// The child's side: does it and prints the answer for the parent. What plugins print goes to stderr. Returns the exit
// code. "measure" is the child of a stamp (stamp.h), "gpus" that of ask_driver() (nvml.h).
int run_task(const std::string& task, const std::string& argument);

}  // namespace myops::system
