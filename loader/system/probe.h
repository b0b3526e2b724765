// Runs a program as a child process with a time limit, and says in words how it ended. No shell.
//
// For what may kill the process that tries it: opening a plugin whose constructors nobody has vouched for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "loader/reason.h"

namespace myops::system {

struct ChildOutcome {
  std::string output;      // what it wrote to stdout, at most 64 MiB
  std::string errors;      // the last 64 KiB of stderr
  bool timed_out = false;  // it was killed at the time limit
  bool end_known = true;   // false where others take the ends of this process's children (SIGCHLD is ignored)
  int exit_code = 0;       // where it exited by itself
  int signal = 0;          // the signal that ended it, 0 for none
};

// Runs `arguments` (the program's path first; PATH is not searched) with the environment and working directory of this
// process and an empty stdin. Waits for it, and kills it when `limit` is over. Error: open-failed, where it could not
// be started.
Result<ChildOutcome> run_child(const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

// How a child ended, where that is known and was not exit code 0: open-failed with `subject`, "killed by signal 6
// (Aborted): <what it said>" in `found`. Of stderr only what explains: the text of an uncaught exception without its
// backtrace, else the last lines.
std::optional<Reason> failure_of(const ChildOutcome& outcome, const std::string& subject);

}  // namespace myops::system
