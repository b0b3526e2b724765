#include "loader/elf/faults.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace myops::elf {
namespace {

constexpr const char* kCopyAgain = "copy or install the file again";

}  // namespace

std::string hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

Reason not_a_library(std::string found) {
  return {Code::kNotALibrary, "", "an ELF shared object", std::move(found), ""};
}

Reason damaged(std::string_view subject, std::string expected, std::string found) {
  return {Code::kDamaged, std::string(subject), std::move(expected), std::move(found), kCopyAgain};
}

Reason truncated(std::string_view subject, std::uint64_t offset, std::uint64_t size, std::uint64_t file_size) {
  const bool overflows = size > std::numeric_limits<std::uint64_t>::max() - offset;
  const std::string expected =
      overflows ? fmt::format("{} bytes from {:#x}", size, offset) : fmt::format("at least {} bytes", offset + size);
  return {Code::kTruncated, std::string(subject), expected, fmt::format("{} bytes", file_size), kCopyAgain};
}

Reason too_large(std::string_view subject, std::uint64_t size) {
  return {Code::kTooLarge, std::string(subject), fmt::format("{} bytes", kMaxTableBytes), fmt::format("{} bytes", size),
          "hide the symbols that no other library uses, if it is a real one"};
}

Reason unreadable(std::uint64_t offset, std::uint64_t size) {
  return {Code::kUnreadable, "", fmt::format("{} bytes at {:#x}", size, offset), "the read failed",
          "the file changed while it was read, or the disk failed"};
}

}  // namespace myops::elf
