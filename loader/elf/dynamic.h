// The dynamic section (gABI, "Dynamic Section"): where the linker's tables are, and what it is told besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

class Dynamic {
 public:
  // Reads the entries up to DT_NULL. A file without the segment (a static executable) has none.
  // Errors: damaged (the segment has no bytes in the file), unreadable.
  static Result<Dynamic> read(Window& window, const Header& header, const Segments& segments);

  bool present() const { return present_; }
  // Value of the last entry with this tag (DT_*), which is the one that glibc uses.
  std::optional<std::uint64_t> value(std::int64_t tag) const;
  // The same, 0 where there is none.
  std::uint64_t flags(std::int64_t tag) const { return value(tag).value_or(0); }
  // All values of a tag, in file order.
  std::vector<std::uint64_t> values(std::int64_t tag) const;

 private:
  bool present_ = false;
  std::vector<std::pair<std::int64_t, std::uint64_t>> entries_;
};

// What glibc asserts of the entries, dying if it is not so (elf/get-dynamic-info.h), and the tables it takes for
// granted.
Result<void> check_dynamic(const Dynamic& dynamic, const Header& header);

// Where the table that a tag points at lies in the file, clipped to its segment. Error: damaged (`table`: not in the
// file).
Result<Extent> table_at(const Segments& segments, std::uint64_t address, const char* table);

}  // namespace myops::elf
