#include "loader/system/candidate.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "loader/system/file_bytes.h"
#include "loader/system/mounts.h"

namespace myops::system {
namespace {

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() || folder == "/" ? folder + name : folder + "/" + name;
}

}  // namespace

rules::CandidateFile Describer::describe(const std::string& folder, const std::string& name, bool plain) {
  rules::CandidateFile file;
  file.folder = folder;
  file.path = join(folder, name);
  if (plain) {
    const Walked& walked = ways_.into(folder);
    file.way = walked.way;
    file.real_path = join(walked.real_path, name);
    // A plain file is on the mount of its folder, or somebody mounted that file alone.
    file.noexec = folder_forbids_execution(folder) && is_noexec(file.path);
    find_mount(file);
    return file;
  }
  struct stat status{};
  if (::stat(file.path.c_str(), &status) != 0) {
    file.error = Reason{Code::kUnreadable, file.path, "a readable file", errno_text(errno), ""};
    return file;
  }
  take_status(file, status);
  Walked walked = ways_.to(file.path);
  file.way = std::move(walked.way);
  file.real_path = std::move(walked.real_path);
  file.noexec = is_noexec(file.path);
  find_mount(file);
  const std::string kind = kind_of_non_file(status.st_mode);
  if (!kind.empty()) file.error = Reason{Code::kNotALibrary, file.path, "an ELF shared object", kind, ""};
  return file;
}

void Describer::find_mount(rules::CandidateFile& file) {
  if (!file.noexec) return;
  if (mountinfo_.empty()) mountinfo_ = read_text("/proc/self/mountinfo");
  file.mount_point = mount_point_in(mountinfo_, file.real_path);
}

bool Describer::folder_forbids_execution(const std::string& folder) {
  if (folder != known_folder_) {
    known_folder_ = folder;
    known_noexec_ = is_noexec(folder);
  }
  return known_noexec_;
}

rules::CandidateFile candidate_at(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path full = error ? std::filesystem::path(path) : absolute;
  return Describer().describe(full.parent_path().string(), full.filename().string(), false);
}

void take_status(rules::CandidateFile& file, const struct stat& status) {
  const FileIdentity identity = identity_of(status);
  file.device = identity.device;
  file.inode = identity.inode;
  file.size = identity.size;
  file.mtime_ns = identity.mtime_ns;
  file.ctime_ns = identity.ctime_ns;
  file.mode = status.st_mode;
  file.owner = status.st_uid;
}

}  // namespace myops::system
