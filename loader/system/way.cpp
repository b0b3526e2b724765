#include "loader/system/way.h"

#include <sys/stat.h>

namespace myops::system {
namespace {

bool is_open_to_all(const std::string& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return false;
  return (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

}  // namespace

const std::string& Ways::world_writable(const std::string& folder) {
  const auto known = known_.find(folder);
  if (known != known_.end()) return known->second;
  std::string found;
  const std::size_t slash = folder.rfind('/');
  if (slash != std::string::npos && folder != "/") found = world_writable(slash == 0 ? "/" : folder.substr(0, slash));
  if (found.empty() && is_open_to_all(folder)) found = folder;
  return known_.emplace(folder, found).first->second;
}

}  // namespace myops::system
