#include "loader/system/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <utility>

#include "loader/rules/listing.h"
#include "loader/system/candidate.h"
#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

// lib*.so; a leading dot is no `lib`, so editors' lock files (.#libmyops_cpu.so) never match.
bool is_candidate_name(std::string_view name) {
  return name.size() > 6 && name.starts_with("lib") && name.ends_with(".so");
}

class Gatherer {
 public:
  void search(const SearchEntry& entry, const std::string& torch_minor) {
    struct stat status{};
    if (::stat(entry.path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
      result_.files.push_back(candidate_at(entry.path));
      return;
    }
    const std::size_t before = result_.files.size();
    of_torches_.clear();
    const int closed = search_folder(entry.path, entry.origin.empty() ? std::set{ENOENT, ENOTDIR} : std::set<int>());
    if (torch_minor.empty()) return;
    const std::vector<std::string> others = std::exchange(of_torches_, {});
    const std::string own = std::string(kTorchFolder) + torch_minor;
    search_folder(entry.path + "/" + own, {ENOENT, ENOTDIR, closed});
    if (result_.files.size() > before || others.empty() || std::ranges::count(others, own) > 0) return;
    result_.doubts.push_back(entry.path + " has " + rules::listed(others) + " and no " + own +
                             ": its libraries are for other releases of torch than this");
  }

  Gathered take() { return std::move(result_); }

 private:
  // 0, or the errno that kept it closed; one that is not `expected` is a note.
  int search_folder(const std::string& folder, const std::set<int>& expected) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    DIR* stream = descriptor < 0 ? nullptr : ::fdopendir(descriptor);
    if (stream == nullptr) {
      const int error = errno;
      if (descriptor >= 0) ::close(descriptor);
      if (std::ranges::count(result_.folders, folder) == 0) result_.folders.push_back(folder);
      if (!expected.contains(error)) add_note(folder, "a readable folder", error, "");
      return error;
    }
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || visited_.emplace(status.st_dev, status.st_ino).second) {
      result_.folders.push_back(folder);
      take_entries(stream, folder);
    }
    ::closedir(stream);
    return 0;
  }

  void take_entries(DIR* stream, const std::string& folder) {
    std::vector<std::pair<std::string, bool>> names;  // name, known to be no link
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
      if (std::string_view(entry->d_name).starts_with(kTorchFolder)) of_torches_.emplace_back(entry->d_name);
      if (is_candidate_name(entry->d_name)) names.emplace_back(entry->d_name, entry->d_type == DT_REG);
      errno = 0;
    }
    if (errno != 0) add_note(folder, "a readable folder", errno, "");
    std::sort(names.begin(), names.end());
    std::sort(of_torches_.begin(), of_torches_.end());
    for (const auto& [name, plain] : names) {
      if (plain || !leads_nowhere(folder + "/" + name))
        result_.files.push_back(describer_.describe(folder, name, plain));
    }
  }

  // A link to nothing is worth a note; a file that went away since readdir is not even that.
  bool leads_nowhere(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ELOOP)) return false;
    const int error = errno;
    if (::lstat(path.c_str(), &status) == 0) add_note(path, "a link to a file", error, "remove the link");
    return true;
  }

  void add_note(const std::string& subject, const char* expected, int error, const char* hint) {
    result_.notes.push_back({Code::kUnreadable, subject, expected, errno_text(error), hint});
  }

  Gathered result_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::vector<std::string> of_torches_;  // folders torch-* of the entry that is searched
  Describer describer_;
};

}  // namespace

Gathered gather(const SearchPath& search, const std::string& torch_minor) {
  Gatherer gatherer;
  for (const SearchEntry& entry : search.entries) gatherer.search(entry, torch_minor);
  Gathered gathered = gatherer.take();
  gathered.notes.insert(gathered.notes.begin(), search.notes.begin(), search.notes.end());
  return gathered;
}

}  // namespace myops::system
