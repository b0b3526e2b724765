// The same library seen twice: one file by two paths, or a copy of it. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "loader/rules/plan.h"

namespace myops::rules {

// Sets usable files apart that are the same as another usable one: by device and inode, then by build-id and manifest
// together (the stamp does not change a build-id). A file in the process stays, else the first in the order of `files`.
// A file of another kind that was met before gets a note.
void set_duplicates_apart(std::vector<Verdict>& files, const std::set<std::string>& already_loaded);

}  // namespace myops::rules
