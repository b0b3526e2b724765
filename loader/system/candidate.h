// Describes one file as a candidate: what it is, who may change it, whether its mount allows code. From its status
// alone; the file is not opened.
#pragma once

#include <string>

#include "loader/rules/verdict.h"
#include "loader/system/way.h"

namespace myops::system {

// Remembers what files of one folder share. Not for use by two threads at once.
class Describer {
 public:
  // The file `name` in `folder` (absolute, as it was given). `plain`: known to be no link, so that its real path is
  // that of its folder. A file that cannot be looked at, or is no regular file, has `error` set.
  rules::CandidateFile describe(const std::string& folder, const std::string& name, bool plain);

 private:
  void set_surroundings(rules::CandidateFile& file, bool plain);
  void know_folder(const std::string& folder);

  Ways ways_;
  std::string mountinfo_;
  std::string known_folder_;
  std::string known_real_folder_;
  bool known_noexec_ = false;
};

// The same for one path, relative ones taken from the working directory.
rules::CandidateFile candidate_at(const std::string& path);

}  // namespace myops::system
