// Whether the versions that a file needs are defined by the files they are needed from (elf/dl-version.c). Pure.
#pragma once

#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

// Versions that the newly opened files need and do not find, one for each file, version and provider. A missing weak
// version is no fault, nor is a provider that defines no versions at all. A provider that is not in the process at all
// kills it.
std::vector<Missing> missing_versions(const Closure& closure);

}  // namespace myops::link
