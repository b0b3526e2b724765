#include "loader/elf/export_index.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace myops::elf {

std::uint64_t ExportIndex::hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

ExportIndex::ExportIndex(std::span<const Symbol> exports) : size_(exports.size()) {
  if (exports.empty()) return;
  const std::size_t buckets = std::max<std::size_t>(2, std::bit_ceil(size_));
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(buckets));

  // A counting sort by bucket, then each bucket on its own: linear, and O(n log n) where all hashes fall into one.
  std::vector<std::uint64_t> hashes(size_);
  bucket_starts_.assign(buckets + 1, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    hashes[i] = hash(exports[i].name);
    ++bucket_starts_[bucket_of(hashes[i]) + 1];
  }
  std::partial_sum(bucket_starts_.begin(), bucket_starts_.end(), bucket_starts_.begin());
  positions_.resize(size_);
  std::vector<std::uint32_t> next(bucket_starts_.begin(), bucket_starts_.end() - 1);
  for (std::size_t i = 0; i < size_; ++i) positions_[next[bucket_of(hashes[i])]++] = static_cast<std::uint32_t>(i);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const auto begin = positions_.begin() + bucket_starts_[bucket];
    const auto end = positions_.begin() + bucket_starts_[bucket + 1];
    if (end - begin < 2) continue;
    std::sort(begin, end,
              [&](std::uint32_t a, std::uint32_t b) { return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b; });
  }
  hashes_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) hashes_[i] = hashes[positions_[i]];
}

std::span<const std::uint32_t> ExportIndex::find(std::uint64_t hash) const {
  if (size_ == 0) return {};
  const std::size_t bucket = bucket_of(hash);
  const auto begin = hashes_.begin() + bucket_starts_[bucket];
  const auto end = hashes_.begin() + bucket_starts_[bucket + 1];
  const auto [first, last] = std::equal_range(begin, end, hash);
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(last - first), kMaxPerName);
  return std::span(positions_).subspan(static_cast<std::size_t>(first - hashes_.begin()), count);
}

}  // namespace myops::elf
