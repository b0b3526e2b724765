// Reads of small pieces, few and bounded: the first 4 KiB are read once and kept, elsewhere neighbours share one read.
// What is in memory already is not read at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loader/elf/bytes.h"
#include "loader/reason.h"

namespace myops::elf {

class Window {
 public:
  static constexpr std::size_t kHeadBytes = 4096;
  static constexpr std::size_t kBlockBytes = 1024;

  // `bytes` must outlive the window.
  explicit Window(const Bytes& bytes) : bytes_(bytes) {}

  const Bytes& bytes() const { return bytes_; }
  std::uint64_t file_size() const { return bytes_.size(); }

  // The first bytes of the file: kHeadBytes, or all of it. Error: unreadable.
  Result<std::span<const std::byte>> head();

  // `size` bytes at `offset`, valid until the next call. Errors: truncated (not inside the file), unreadable.
  // Memory: `size`, so a caller compares a size that the file states with what it can be before asking.
  Result<std::span<const std::byte>> at(std::uint64_t offset, std::size_t size);

  // Fills `out` from `offset`, past the window. Errors as above.
  Result<void> copy(std::uint64_t offset, std::span<std::byte> out) const;

  // The start of [offset, offset + size), at least one byte of it: what is held already, or else up to `block` bytes.
  // For what ends at a mark, not at a known size. Errors as above.
  Result<std::span<const std::byte>> some(std::uint64_t offset, std::uint64_t size, std::size_t block = kBlockBytes);

 private:
  const Bytes& bytes_;
  std::vector<std::byte> head_;
  std::vector<std::byte> block_;
  std::uint64_t block_offset_ = 0;
};

}  // namespace myops::elf
