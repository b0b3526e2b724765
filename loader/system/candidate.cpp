#include "loader/system/candidate.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "loader/system/file_bytes.h"
#include "loader/system/mounts.h"

namespace myops::system {
namespace {

std::string canonical(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? "" : real.string();
}

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() || folder == "/" ? folder + name : folder + "/" + name;
}

}  // namespace

rules::CandidateFile Describer::describe(const std::string& folder, const std::string& name, bool plain) {
  rules::CandidateFile file;
  file.folder = folder;
  file.path = join(folder, name);
  if (plain) {
    know_folder(folder);
    file.real_path = join(known_real_folder_, name);
    set_surroundings(file, plain);
    return file;
  }
  struct stat status{};
  if (::stat(file.path.c_str(), &status) != 0) {
    file.error = Reason{Code::kUnreadable, file.path, "a readable file", errno_text(errno), ""};
    return file;
  }
  take_status(file, status);
  file.real_path = canonical(file.path);
  set_surroundings(file, plain);
  const std::string kind = kind_of_non_file(status.st_mode);
  if (!kind.empty()) file.error = Reason{Code::kNotALibrary, file.path, "an ELF shared object", kind, ""};
  return file;
}

void Describer::set_surroundings(rules::CandidateFile& file, bool plain) {
  file.way = plain ? ways_.into(file.folder) : ways_.to(file.path);
  // A plain file is on the mount of its folder, or somebody mounted that file alone.
  file.noexec = (!plain || known_noexec_) && is_noexec(file.path);
  if (!file.noexec) return;
  if (mountinfo_.empty()) mountinfo_ = read_text("/proc/self/mountinfo");
  file.mount_point = mount_point_in(mountinfo_, file.real_path);
}

void Describer::know_folder(const std::string& folder) {
  if (folder == known_folder_) return;
  known_folder_ = folder;
  known_real_folder_ = canonical(folder);
  known_noexec_ = is_noexec(folder);
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
