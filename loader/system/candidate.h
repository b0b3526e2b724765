// Describes one file as a candidate: what it is, who may change it, whether its mount allows code. The file is not
// opened.
#pragma once

#include <sys/stat.h>

#include <string>

#include "loader/rules/verdict.h"
#include "loader/system/way.h"

namespace myops::system {

// Remembers what files of one folder share. Not for use by two threads at once.
class Describer {
 public:
  // The file `name` in `folder` (absolute, as it was given). A file that cannot be looked at, or is no regular file,
  // has `error` set. `plain`: the folder says that it is a regular file and no link, so that its real path is that of
  // its folder; its status is left to the one who opens it (take_status).
  rules::CandidateFile describe(const std::string& folder, const std::string& name, bool plain);

 private:
  void find_mount(rules::CandidateFile& file);
  bool folder_forbids_execution(const std::string& folder);

  Ways ways_;
  std::string mountinfo_;
  std::string known_folder_;
  bool known_noexec_ = false;
};

// The same for one path, relative ones taken from the working directory.
rules::CandidateFile candidate_at(const std::string& path);

// Identity, mode and owner.
void take_status(rules::CandidateFile& file, const struct stat& status);

}  // namespace myops::system
