#include "loader/system/stamp_note.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

Reason not_writable(const std::string& path, int error) {
  return {.code = Code::kBadOption,
          .subject = path,
          .expected = "a place that can be written",
          .found = errno_text(error),
          .hint = {}};
}

bool write_all(int descriptor, const std::vector<std::byte>& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const auto count = ::write(descriptor, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// Writes, sets the permissions and closes; errno of the first failure, or 0.
int fill(int descriptor, const std::vector<std::byte>& content, mode_t permissions) {
  int error = 0;
  if (!write_all(descriptor, content) || ::fchmod(descriptor, permissions) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

Result<void> require_note(const elf::ElfFacts& facts, const std::string& file) {
  if (facts.manifest.has_value()) return {};
  return Reason{.code = Code::kForeign,
                .subject = file,
                .expected = "a note .note.myops with room for the manifest",
                .found = "no such note",
                .hint = "build it with myops_add_plugin, or link an assembled cmake/manifest_note.S.in"};
}

Result<void> write_note(std::vector<std::byte>& content, const elf::ElfFacts& facts, std::string_view text,
                        const std::string& file) {
  if (const auto there = require_note(facts, file); !there) return there;
  const auto room = facts.manifest_capacity;
  if (text.size() >= room || facts.manifest_offset > content.size() || room > content.size() - facts.manifest_offset) {
    return Reason{.code = Code::kBadOption,
                  .subject = file,
                  .expected = std::to_string(text.size() + 1) + " bytes for the manifest",
                  .found = std::to_string(room) + " bytes reserved",
                  .hint = "raise RESERVE of its myops_add_plugin"};
  }
  auto* const note = content.data() + facts.manifest_offset;
  std::memcpy(note, text.data(), text.size());
  std::fill(note + text.size(), note + room, std::byte{0});
  return {};
}

Result<void> replace_file(const std::string& path, const std::vector<std::byte>& content, const std::string& like) {
  struct stat status{};
  if (struct stat target{};
      ::stat(path.c_str(), &target) == 0 && !S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode)) {
    return Reason{.code = Code::kBadOption,
                  .subject = path,
                  .expected = "a file to write, or none",
                  .found = "a device, pipe or socket",
                  .hint = "name another output"};
  }
  if (::stat(like.c_str(), &status) != 0) return not_writable(like, errno);
  auto temporary = path + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return not_writable(path, errno);
  int error = fill(descriptor, content, status.st_mode & 07777);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return not_writable(path, error);
}

}  // namespace myops::system
