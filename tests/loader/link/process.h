// This very process as the resolver's environment, and real files read for it: what tests compare with the real dlopen.
#pragma once

#include <string>
#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

// Facts of a real file, each file read once as long as it does not change.
ReadOutcome read_real_file(const std::string& path);

// A real file as an object, by the path it is opened by.
Object real_object(const std::string& path);

// Adds what is mapped and not yet in `environment`, in the order of the link map, the executable first; to the global
// scope too, where `global` says so. The first call also sets the folders.
void take_mapped(Environment& environment, bool global);

}  // namespace myops::link
