#include "loader/system/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace myops::system {

namespace {

std::int64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileIdentity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::string errno_text(int error) { return std::generic_category().message(error); }

std::string kind_of_non_file(std::uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    default:
      return "no regular file";
  }
}

Result<std::unique_ptr<FileBytes>> FileBytes::open(const std::string& path, bool seen_to_be_a_file) {
  const auto unreadable = [&](int error) {
    return Reason{Code::kUnreadable, path, "a readable file", errno_text(error), ""};
  };
  // The type is looked at before the file is opened: opening some devices has effects.
  struct stat status{};
  if (!seen_to_be_a_file && ::stat(path.c_str(), &status) != 0) return unreadable(errno);
  const auto no_file = [&]() -> std::optional<Reason> {
    if (S_ISREG(status.st_mode)) return std::nullopt;
    return Reason{Code::kNotALibrary, path, "an ELF shared object", kind_of_non_file(status.st_mode), ""};
  };
  if (!seen_to_be_a_file) {
    if (const auto reason = no_file()) return *reason;
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return unreadable(errno);
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    return unreadable(error);
  }
  // Owned from here on; and looked at again, since the name may mean another file by now.
  std::unique_ptr<FileBytes> bytes(new FileBytes(descriptor, status));
  if (const auto reason = no_file()) return *reason;
  return bytes;
}

FileBytes::FileBytes(int descriptor, const struct stat& status) : descriptor_(descriptor), status_(status) {}

FileBytes::~FileBytes() { ::close(descriptor_); }

bool FileBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > this->size() || out.size() > this->size() - offset) return false;
  if (offset > start_.size() || out.size() > start_.size() - offset) return read_from_file(offset, out);
  if (!out.empty()) std::memcpy(out.data(), start_.data() + offset, out.size());
  return true;
}

void FileBytes::read_ahead(std::size_t size, std::vector<std::byte>& buffer) {
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, this->size()));
  const std::size_t known = start_.size();
  if (size <= known) return;
  if (buffer.size() < size) buffer.resize(size);
  const bool read = read_from_file(known, std::span(buffer).subspan(known, size - known));
  start_ = std::span(buffer).first(read ? size : known);
}

bool FileBytes::read_from_file(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

std::string read_text(const std::string& path, std::size_t limit) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return "";
  std::string text;
  char buffer[4096];
  while (text.size() < limit) {
    const ssize_t got = ::read(descriptor, buffer, std::min(sizeof buffer, limit - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(descriptor);
  return text;
}

}  // namespace myops::system
