// Which symbols a look-up by name can reach: what DT_GNU_HASH or, where there is none, DT_HASH leads to.
#pragma once

#include <cstdint>
#include <vector>

#include "loader/elf/dynamic.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// The symbols with these indexes: all of [begin, end), or of them those that `members` has, where it is not empty.
struct Reachable {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<bool> members;  // by index, `end` long

  bool contains(std::uint64_t index) const {
    return index >= begin && index < end && (members.empty() || members[index]);
  }
};

// `symbol_limit` is how many symbols the file has room for. Errors: damaged (a table outside the file, a chain that
// leaves it or comes back to itself, a bloom filter whose size is no power of two: the linker would crash, hang or die
// on them), too-large, unreadable.
Result<Reachable> read_hash_tables(Window& window, const Header& header, const Segments& segments,
                                   const Dynamic& dynamic, std::uint64_t symbol_limit);

}  // namespace myops::elf
