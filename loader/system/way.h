// The way to a file: where it ends, and who else can replace the file: the folders in which names are looked up.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loader/rules/verdict.h"

namespace myops::system {

using Way = std::shared_ptr<const std::vector<rules::FolderStatus>>;

struct Walked {
  // The folders that the kernel looks names up in to reach a path, links followed, those in the middle of a chain too:
  // each once, without links in its own path. One that cannot be looked at is left out.
  Way way;
  std::string real_path;  // without links, of no account where nothing is there
};

// Remembers its answers: thousands of files share a few folders. Not for use by two threads at once.
class Ways {
 public:
  // To an absolute path.
  Walked to(const std::string& path);
  // To an entry of `folder` that is no link; `real_path` is that of the folder.
  const Walked& into(const std::string& folder);

  // What lies at a path without links before its last name.
  struct Place {
    rules::FolderStatus status;  // mode 0: cannot be looked at
    std::string target;          // of a link
  };
  const Place& look_at(const std::string& path);

 private:
  Walked walk(const std::string& path, bool into);

  std::map<std::string, Walked> into_;
  std::map<std::string, Place> places_;
};

}  // namespace myops::system
