// The reasons of the ELF reader, and the comparisons that lead to them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loader/reason.h"

namespace myops::elf {

// Whether [offset, offset + size) lies within [0, limit); no sum that could overflow.
constexpr bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

// The most that is read of one table: strings, symbols, hashes, relocations. The largest of libtorch_cpu 2.15, with 76
// thousand symbols, are 5 MiB of strings and 2 MiB of symbols. That a table lies inside the file is not enough: a
// sparse file states any size for nothing.
inline constexpr std::uint64_t kMaxTableBytes = std::uint64_t{256} << 20;

// "0x1f0"
std::string hex(std::uint64_t value);

Reason not_a_library(std::string found);
// The headers contradict themselves or the file: `subject` names which.
Reason damaged(std::string_view subject, std::string expected, std::string found);
// `subject` would take the bytes [offset, offset + size) of a file of `file_size` bytes.
Reason truncated(std::string_view subject, std::uint64_t offset, std::uint64_t size, std::uint64_t file_size);
// A table of `size` bytes, beyond kMaxTableBytes: nothing is proven against the file.
Reason too_large(std::string_view subject, std::uint64_t size);
// A read inside the file failed: it shrank meanwhile, or the disk failed.
Reason unreadable(std::uint64_t offset, std::uint64_t size);

}  // namespace myops::elf
