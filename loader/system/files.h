// Finds the candidate files in the folders of a search path. Looks at names, and at the status of links and named
// files; opens no file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/rules/verdict.h"
#include "loader/system/folders.h"

namespace myops::system {

// How the folder begins that holds the libraries for one release of torch: "torch-2.15".
inline constexpr std::string_view kTorchFolder = "torch-";

struct Gathered {
  std::vector<rules::CandidateFile> files;  // in search order; within a folder by name: independent of readdir
  std::vector<std::string> folders;         // looked in, in order, absent default ones too
  std::vector<Reason> notes;                // folders that could not be searched, links that lead nowhere
  std::vector<std::string> doubts;          // folders that have libraries for other torches, and none for this one
};

// Every `lib*.so` of each folder F of the search path and of F/torch-<torch_minor> (none where it is ""), and the files
// named directly, whatever their name. A folder reached twice (device and inode) is searched once. What cannot be read
// or is no regular file is a candidate with its `error`; a dangling link is a note.
Gathered gather(const SearchPath& search, const std::string& torch_minor);

}  // namespace myops::system
