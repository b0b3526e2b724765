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

// "0x1f0"
std::string hex(std::uint64_t value);

Reason not_a_library(std::string found);
// The headers contradict themselves or the file: `subject` names which.
Reason damaged(std::string_view subject, std::string expected, std::string found);
// `subject` would take the bytes [offset, offset + size) of a file of `file_size` bytes.
Reason truncated(std::string_view subject, std::uint64_t offset, std::uint64_t size, std::uint64_t file_size);
// A read inside the file failed: it shrank meanwhile, or the disk failed.
Reason unreadable(std::uint64_t offset, std::uint64_t size);

}  // namespace myops::elf
