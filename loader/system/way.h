// Who else can replace a file: the folders on the way to it.
#pragma once

#include <map>
#include <string>

namespace myops::system {

// Remembers its answers: thousands of files share a few folders. Not for use by two threads at once.
class Ways {
 public:
  // The first folder from the root down to the absolute path `folder` that anyone can write to, "" where there is none.
  // A folder with the sticky bit (/tmp) does not count: only its owner can rename or remove what lies in it.
  const std::string& world_writable(const std::string& folder);

 private:
  std::map<std::string, std::string> known_;
};

}  // namespace myops::system
