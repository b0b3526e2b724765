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
  Walk(const std::string& path, Ways& ways) : ways_(ways) { put_before(path); }

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
      const std::string& target = ways_.look_at(entry).target;
      if (target.empty()) {
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

  Ways& ways_;
  std::string at_;  // "" is the root
  std::deque<std::string> names_;
  int links_ = 0;
};

}  // namespace

const Ways::Place& Ways::look_at(const std::string& path) {
  const auto [place, is_new] = places_.try_emplace(path);
  if (!is_new) return place->second;
  place->second.status.path = path;
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return place->second;
  place->second.status = {path, status.st_mode, status.st_uid};
  std::error_code error;
  if (S_ISLNK(status.st_mode)) place->second.target = std::filesystem::read_symlink(path, error).string();
  return place->second;
}

Walked Ways::walk(const std::string& path, bool into) {
  std::vector<rules::FolderStatus> folders;
  const auto add = [&](const std::string& folder) {
    const rules::FolderStatus& status = look_at(folder).status;
    const auto same = [&](const rules::FolderStatus& known) { return known.path == status.path; };
    if (status.mode != 0 && std::ranges::none_of(folders, same)) folders.push_back(status);
  };
  Walk walk(path, *this);
  while (const auto folder = walk.next()) add(*folder);
  if (into) add(walk.at());
  return {std::make_shared<const std::vector<rules::FolderStatus>>(std::move(folders)), walk.at()};
}

Walked Ways::to(const std::string& path) { return walk(path, false); }

const Walked& Ways::into(const std::string& folder) {
  const auto known = into_.find(folder);
  return known != into_.end() ? known->second : into_.emplace(folder, walk(folder, true)).first->second;
}

}  // namespace myops::system
