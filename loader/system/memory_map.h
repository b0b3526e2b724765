// What /proc/self/maps says: which file lies at which addresses. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace myops::system {

struct Mapping {
  std::uint64_t start = 0, end = 0;
  std::uint64_t inode = 0;  // 0: no file
  std::string_view path;    // where the kernel finds that file now; " (deleted)" follows where no name leads to it
};

// The mappings of files, in order of address, as views of `text`; lines of another form are passed over.
std::vector<Mapping> parse_memory_map(std::string_view text);

// The one that holds the address, nullptr where none does.
const Mapping* mapping_at(const std::vector<Mapping>& mappings, std::uint64_t address);

}  // namespace myops::system
