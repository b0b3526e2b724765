// Measures what a plugin registers: opens torch, the schema library and the plugin in this process, with snapshots of
// the dispatcher around the plugin. Runs the plugin's constructors, so it may end the process: see stamp.h for the
// child.
#pragma once

#include <string>

#include "loader/reason.h"
#include "loader/system/stamp_registrations.h"

namespace myops::system {

struct MeasureOptions {
  std::string file;       // absolute paths, all three
  std::string schema;     // "" for none
  std::string torch_dir;  // "" for the one of choose_torch()
};

// Errors: torch-not-found, open-failed, and those of snapshot().
Result<Registrations> measure(const MeasureOptions& options);

}  // namespace myops::system
