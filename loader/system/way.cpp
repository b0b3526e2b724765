#include "loader/system/way.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <system_error>

#include "loader/system/variables.h"

namespace myops::system {
namespace {

constexpr int kMostLinks = 40;  // as the kernel: MAXSYMLINKS of include/linux/namei.h

// Names still to be looked up, from the place reached so far.
class Walk {
 public:
  explicit Walk(const std::string& path) { put_before(path); }

  // The folder in which the next name is looked up; none where the end, or a chain of links without end, is reached.
  std::optional<std::string> next() {
    while (!names_.empty()) {
      const std::string name = std::move(names_.front());
      names_.pop_front();
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        at_.erase(std::min(at_.rfind('/'), at_.size()));
        continue;
      }
      const std::string folder = at();
      const std::string entry = at_ + "/" + name;
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry, error).string();
      if (error) {
        at_ = entry;
      } else if (++links_ > kMostLinks) {
        names_.clear();
      } else {
        put_before(target);
      }
      return folder;
    }
    return std::nullopt;
  }

  std::string at() const { return at_.empty() ? "/" : at_; }

 private:
  void put_before(const std::string& path) {
    if (path.starts_with('/')) at_.clear();
    const auto names = split(path, '/');
    names_.insert(names_.begin(), names.begin(), names.end());
  }

  std::string at_;  // "" is the root
  std::deque<std::string> names_;
  int links_ = 0;
};

}  // namespace

const rules::FolderStatus& Ways::status_of(const std::string& folder) {
  const auto known = statuses_.find(folder);
  if (known != statuses_.end()) return known->second;
  struct stat status{};
  const bool seen = ::stat(folder.c_str(), &status) == 0;
  return statuses_
      .emplace(folder,
               seen ? rules::FolderStatus{folder, status.st_mode, status.st_uid} : rules::FolderStatus{folder, 0, 0})
      .first->second;
}

Way Ways::to(const std::string& path) {
  std::vector<rules::FolderStatus> folders;
  Walk walk(path);
  while (const auto folder = walk.next()) {
    const rules::FolderStatus& status = status_of(*folder);
    const auto same = [&](const rules::FolderStatus& known) { return known.path == status.path; };
    if (status.mode != 0 && std::ranges::none_of(folders, same)) folders.push_back(status);
  }
  return std::make_shared<const std::vector<rules::FolderStatus>>(std::move(folders));
}

const Way& Ways::into(const std::string& folder) {
  const auto known = into_.find(folder);
  return known != into_.end() ? known->second : into_.emplace(folder, to(folder + "/entry")).first->second;
}

}  // namespace myops::system
