// Writes a plugin's manifest into the note that is reserved in it: what the plugin registers, as measured, and what it
// was built for (docs/design.md §4). The file's other bytes, its build-id among them, stay as they are.
//
// Deterministic: no clock, no randomness, no path of this machine; the same plugin gives the same bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/manifest.h"

namespace myops::system {

struct StampOptions {
  std::string file;    // the plugin, with a reserved note (cmake/manifest_note.S.in)
  std::string output;  // where the stamped file goes; "": in place
  std::string schema;  // library that defines the operators that the plugin has kernels for; "": it defines them itself
  std::string from;    // stamped library whose registrations are taken: for files that this machine cannot open
  std::string torch_dir;  // as --torch; "": as choose_torch()
  // "": what `from` has, where it is given; else
  std::string name;          // the file name without lib and .so
  std::string version;       // "0"
  std::string op_namespace;  // of what it registers, where that is one; else required
  std::string set;           // op_namespace
  std::string level;         // psABI level; "": what the file's ELF property says, else the baseline
  std::string cuda_runtime;  // "13.0"; "": stamp_cuda.h. Only for libraries that need CUDA

  // Command of the measuring child; one argument is appended, and it must pass that to measure_and_print(). Empty:
  // measure in this process, which a plugin may then kill.
  std::vector<std::string> measure_command;
  std::chrono::milliseconds time_limit = std::chrono::minutes(2);
};

struct StampResult {
  std::string file;            // the stamped file
  rules::Manifest manifest;    // what was written into it
  std::uint64_t bytes = 0;     // size of its text
  std::uint64_t reserved = 0;  // room for it
};

// Errors, besides those of reading the files:
//
//   foreign           no note is reserved
//   bad-option        the manifest is larger than the note (`expected` and `found` have the bytes), or more than one
//                     namespace is touched and none named, or `output` cannot be written
//   unstamped         `from` has no manifest itself
//   manifest-damaged  a given value has no place in a manifest, or it registers more than one can hold
//   torch-not-found   no torch is there to open it with
//   schema-missing    it has kernels for operators that nothing defines: all of them named
//   kernel-not-registered  it registers nothing
//   open-failed       it could not be opened, or it ended the child
Result<StampResult> stamp(const StampOptions& options);

// The child's side: measures as the argument says and prints the result for the parent. Returns the exit code. Whatever
// the plugin's own code prints goes to stderr.
int measure_and_print(const std::string& argument);

}  // namespace myops::system
