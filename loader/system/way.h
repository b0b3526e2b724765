// Who else can replace a file: the folders in which names are looked up on the way to it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loader/rules/verdict.h"

namespace myops::system {

using Way = std::shared_ptr<const std::vector<rules::FolderStatus>>;

// Remembers its answers: thousands of files share a few folders. Not for use by two threads at once.
class Ways {
 public:
  // The folders that the kernel looks names up in to reach the absolute `path`, links followed, those in the middle of
  // a chain too: each once, without links in its own path. One that cannot be looked at is left out.
  Way to(const std::string& path);
  // Those to an entry of `folder` that is no link.
  const Way& into(const std::string& folder);

 private:
  const rules::FolderStatus& status_of(const std::string& folder);

  std::map<std::string, Way> into_;
  std::map<std::string, rules::FolderStatus> statuses_;  // mode 0: cannot be looked at
};

}  // namespace myops::system
