// Which folders are searched for plugins, and in which order (docs/design.md §5). Lists; does not look into them.
#pragma once

#include <string>
#include <vector>

#include "loader/reason.h"

namespace myops::system {

// One place to search: a folder, or a file named directly.
struct SearchEntry {
  std::string path;    // absolute
  std::string origin;  // who named it: "paths", "MYOPS_PLUGIN_PATH", …; "" for a default folder, which may be absent
                       // without a word
};

struct SearchPath {
  std::vector<SearchEntry> entries;
  std::vector<Reason> notes;  // entries that mean nothing: empty, or relative where there is no working directory
};

// `paths`, then MYOPS_PLUGIN_PATH, then MYOPS_SYSTEM_PLUGIN_PATH or where that is not set the default folders, then
// `late_paths`. Never the working directory, PATH or LD_LIBRARY_PATH.
SearchPath search_path(const std::vector<std::string>& paths, const std::vector<std::string>& late_paths);

// Beside the loader library: `plugins`, then `myops/plugins`.
std::vector<std::string> default_folders();

// The folder of the library (or program) that this code is in, links resolved; "" where that cannot be told.
const std::string& loader_folder();

}  // namespace myops::system
