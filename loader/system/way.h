// Who else can replace a file: the folders on the way to it.
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
  // The folders from the root down to the absolute path `folder`; one that cannot be looked at is left out.
  const Way& to(const std::string& folder);
  // Those to `folder` and those to `real_folder`, where its links lead, each once.
  Way to_both(const std::string& folder, const std::string& real_folder);

 private:
  std::map<std::string, Way> known_;
};

}  // namespace myops::system
