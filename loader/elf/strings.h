// The dynamic string table (gABI, "String Table"): names, found by their offset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "loader/elf/dynamic.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// Reads single strings, for a file whose table is not worth loading.
class StringReader {
 public:
  // Errors: damaged (no table in the file, or longer than its segment).
  static Result<StringReader> open(const Dynamic& dynamic, const Segments& segments);

  // The string at `offset`. All strings read through one reader are at most as long as the file, which bounds what a
  // file that names one long string again and again can cost. Errors: damaged (`subject`: outside the table, without an
  // end, too long), too-large, unreadable.
  Result<std::string> read(Window& window, std::uint64_t offset, const char* subject);

  // Whether `part` stands anywhere in the table. Errors: too-large, truncated, unreadable.
  Result<bool> contains(Window& window, std::string_view part) const;

  const Extent& extent() const { return extent_; }

 private:
  Extent extent_;
  std::uint64_t total_ = 0;
};

// The whole table in memory.
class StringTable {
 public:
  // Errors: too-large, unreadable.
  static Result<StringTable> load(const Window& window, const Extent& extent);

  // The string at `offset`, a view into buffer(). All of them together are at most kMaxRepeats times as long as the
  // table (and kSlack for small ones): linkers let names share their ends, but not without measure. Errors: damaged
  // (outside the table, without an end, more than that).
  Result<std::string_view> at(std::uint64_t offset);

  const std::shared_ptr<const std::string>& buffer() const { return buffer_; }

 private:
  static constexpr std::uint64_t kMaxRepeats = 8;
  static constexpr std::uint64_t kSlack = 4096;

  std::shared_ptr<const std::string> buffer_;
  std::uint64_t total_ = 0;
};

// The string at an offset, as one of the two above gives it.
using NameAt = std::function<Result<std::string_view>(std::uint64_t offset)>;

}  // namespace myops::elf
