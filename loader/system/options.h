// What is asked of the loader: the options object of the C ABI, checked, with the environment variables merged in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/world.h"
#include "loader/system/gpu.h"

namespace myops::system {

struct Options {
  rules::Request request;
  std::vector<std::string> late_paths;          // searched after the default folders
  std::optional<rules::HostFacts> host;         // judge for that machine instead of this one
  std::optional<rules::TorchFacts> host_torch;  // and for the torch that it has, of which no file is here
  std::vector<std::string> files;               // myops_check
  std::string op;                               // myops_table, myops_missing
  std::string key;                              // myops_missing
  std::string lock_file;                        // "lock", MYOPS_LOCK; "" none
  std::string output;                           // myops_lock: the file to write
  std::string report_file;                      // MYOPS_REPORT: where a load writes its report; "" nowhere
  std::optional<DriverFacts> driver;            // what the NVIDIA driver says, once it was asked (look.h)
  std::vector<std::string> helper;              // command of a child process (loader_c.h)
  std::chrono::seconds timeout{300};            // of that child
  std::vector<std::string> notes;               // doubts about the environment variables, for the report
};

// The same for what judges files: with the lock file read, which "lock" or MYOPS_LOCK names, and trust strict under it.
// Errors besides: those of read_lock().
Result<Options> parse_judging_options(std::string_view text);

// Reads the JSON text ("" means {}). Error: bad-option, `subject` naming the member; one that this version does not
// know is an error too, since a misspelt "require" must not pass. MYOPS_TORCH stands in for "torch"; MYOPS_REQUIRE and
// MYOPS_DISABLE add to "require" and "disable"; trust is strict wherever the process has raised privileges.
Result<Options> parse_options(std::string_view text);

}  // namespace myops::system
