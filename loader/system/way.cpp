#include "loader/system/way.h"

#include <sys/stat.h>

#include <algorithm>

namespace myops::system {

const Way& Ways::to(const std::string& folder) {
  const auto known = known_.find(folder);
  if (known != known_.end()) return known->second;
  std::vector<rules::FolderStatus> folders;
  const std::size_t slash = folder.rfind('/');
  if (slash != std::string::npos && folder != "/") folders = *to(slash == 0 ? "/" : folder.substr(0, slash));
  struct stat status{};
  if (::stat(folder.c_str(), &status) == 0) folders.push_back({folder, status.st_mode, status.st_uid});
  return known_.emplace(folder, std::make_shared<const std::vector<rules::FolderStatus>>(std::move(folders)))
      .first->second;
}

Way Ways::to_both(const std::string& folder, const std::string& real_folder) {
  Way given = to(folder);
  if (real_folder.empty() || real_folder == folder) return given;
  auto folders = *given;
  for (const rules::FolderStatus& real : *to(real_folder)) {
    const auto same = [&](const rules::FolderStatus& known) { return known.path == real.path; };
    if (std::ranges::none_of(*given, same)) folders.push_back(real);
  }
  return std::make_shared<const std::vector<rules::FolderStatus>>(std::move(folders));
}

}  // namespace myops::system
