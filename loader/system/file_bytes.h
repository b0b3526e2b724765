// One opened file as Bytes: bounded preads on a descriptor, never a mapping, so a file that shrinks gives `false` and
// no SIGBUS.
//
// Opening never blocks (a FIFO), never has a side effect (a device) and never runs anything. Knows nothing of ELF.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loader/elf/bytes.h"
#include "loader/reason.h"

namespace myops::system {

// What tells one state of one file from every other. The modification time can be set back by anyone who may write the
// file; the time of its last change, which the kernel keeps, cannot.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const struct stat& status);

// "Permission denied" for EACCES, and so on: the words without a number, for Reason::found.
std::string errno_text(int error);

// "a folder", "a FIFO", …, "" for a regular file.
std::string kind_of_non_file(std::uint32_t mode);

class FileBytes final : public elf::Bytes {
 public:
  // Errors: unreadable (errno text in `found`), not-a-library (exists, but is no regular file). `seen_to_be_a_file`:
  // the caller, or the folder that lists it, has just said so, and it is opened at once.
  static Result<std::unique_ptr<FileBytes>> open(const std::string& path, bool seen_to_be_a_file = false);

  ~FileBytes() override;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::uint64_t size() const override { return static_cast<std::uint64_t>(status_.st_size); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override;
  // Reads the start of the file at once into a buffer that the caller keeps, for as long as this lives and no other
  // uses it: reads inside it need no further call of the system. A file that does not give it is read as without.
  void read_ahead(std::size_t size, std::vector<std::byte>& buffer);
  std::span<const std::byte> in_memory() const override { return start_; }
  const struct stat& status() const { return status_; }
  FileIdentity identity() const { return identity_of(status_); }

 private:
  FileBytes(int descriptor, const struct stat& status);

  bool read_from_file(std::uint64_t offset, std::span<std::byte> out) const;

  int descriptor_;
  struct stat status_;
  std::span<const std::byte> start_;
};

// The whole content of a small text file (at most `limit` bytes of it); "" where it cannot be read. For /proc and /sys
// too, whose files have no size.
std::string read_text(const std::string& path, std::size_t limit = std::size_t{1} << 20);

}  // namespace myops::system
