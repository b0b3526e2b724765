// Finds exported symbols by name without walking them all. Built once, when a file's symbols are parsed.
//
// Holds positions, not pointers: it stays right when the facts are copied. Look-ups cost one probe in the usual case
// and O(log n) in a file made to defeat hashing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loader/elf/symbol.h"

namespace myops::elf {

class ExportIndex {
 public:
  // At most this many symbols of one name are kept. (Real libraries define a name in a handful of versions.)
  static constexpr std::size_t kMaxPerName = 256;

  ExportIndex() = default;
  explicit ExportIndex(std::span<const Symbol> exports);

  static std::uint64_t hash(std::string_view name);

  // Positions of the exports whose name has this hash, in file order. The caller compares the names.
  std::span<const std::uint32_t> find(std::uint64_t hash) const;

  // Number of exports it was built over.
  std::size_t size() const { return size_; }

 private:
  std::size_t bucket_of(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }

  std::size_t size_ = 0;
  unsigned shift_ = 63;
  std::vector<std::uint32_t> bucket_starts_;  // bucket_of(hash) → first entry; one more at the end
  std::vector<std::uint64_t> hashes_;         // sorted
  std::vector<std::uint32_t> positions_;      // parallel to hashes_
};

}  // namespace myops::elf
