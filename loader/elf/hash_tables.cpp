#include "loader/elf/hash_tables.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

constexpr const char* kGnuHash = "DT_GNU_HASH";
constexpr const char* kSysvHash = "DT_HASH";
constexpr std::uint64_t kWord = sizeof(std::uint32_t);

Result<std::vector<std::uint32_t>> read_words(const Window& window, const Decoder& decode, const Extent& extent,
                                              std::uint64_t offset, std::uint64_t count, const char* table) {
  if (count > extent.size / kWord || !inside(offset, count * kWord, extent.size)) {
    return damaged(table, fmt::format("at most {:#x} bytes", extent.size),
                   fmt::format("{} words at {:#x}", count, offset));
  }
  if (count > kMaxTableBytes / kWord) return too_large(table, count * kWord);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
  const auto bytes = std::as_writable_bytes(std::span(words));
  if (auto read = window.copy(extent.offset + offset, bytes); !read) return read.error();
  for (std::uint32_t& word : words) word = decode.integer<std::uint32_t>(reinterpret_cast<const std::byte*>(&word));
  return words;
}

// Follows the last chain to its end, which is the end of the symbol table: chains lie in ascending order.
Result<std::uint64_t> end_of_chain(Window& window, const Decoder& decode, const Extent& chains, std::uint64_t first,
                                   std::uint64_t symoffset) {
  for (std::uint64_t index = first;; ++index) {
    const std::uint64_t offset = (index - symoffset) * kWord;
    if (!inside(offset, kWord, chains.size)) {
      return damaged(kGnuHash, "a chain that ends", fmt::format("none from symbol {}", first));
    }
    if (offset >= kMaxTableBytes) return too_large(kGnuHash, chains.size);
    const auto at = window.at(chains.offset + offset, kWord);
    if (!at) return at.error();
    if (decode.integer<std::uint32_t>(at->data()) & 1) return index + 1;
  }
}

// The layout is described in binutils and glibc only (elf/dl-lookup.c): four words, the bloom filter in words of the
// class, the buckets, then one hash value for each symbol from symoffset on, whose lowest bit ends a chain.
Result<Reachable> read_gnu_hash(Window& window, const Decoder& decode, const Extent& extent,
                                std::uint64_t symbol_limit) {
  const auto head = read_words(window, decode, extent, 0, 4, kGnuHash);
  if (!head) return head.error();
  const std::uint64_t bucket_count = (*head)[0];
  const std::uint64_t symoffset = (*head)[1];
  const std::uint64_t bloom_words = (*head)[2];
  if (!std::has_single_bit(bloom_words)) {
    return damaged(kGnuHash, "a bloom filter of a power of two of words", fmt::format("{}", bloom_words));
  }
  const std::uint64_t buckets_offset = 4 * kWord + bloom_words * (decode.wide() ? 8 : 4);
  const auto buckets = read_words(window, decode, extent, buckets_offset, bucket_count, kGnuHash);
  if (!buckets) return buckets.error();
  std::uint64_t last = 0;
  for (const std::uint32_t bucket : *buckets) {
    if (bucket == 0) continue;
    if (bucket < symoffset || bucket >= symbol_limit) {
      return damaged(kGnuHash, fmt::format("symbols {} to {}", symoffset, symbol_limit), fmt::format("{}", bucket));
    }
    last = std::max<std::uint64_t>(last, bucket);
  }
  if (last == 0) return Reachable{};
  const std::uint64_t chains_offset = buckets_offset + bucket_count * kWord;
  const Extent chains{extent.offset + chains_offset, extent.size - chains_offset};
  const auto end = end_of_chain(window, decode, chains, last, symoffset);
  if (!end) return end.error();
  if (*end > symbol_limit) {
    return damaged(kGnuHash, fmt::format("at most {} symbols", symbol_limit), fmt::format("{}", *end));
  }
  return Reachable{symoffset, *end, {}};
}

// gABI, "Hash Table". Each chain is walked; a symbol that is met twice means a chain without an end, or two that run
// together.
Result<Reachable> read_sysv_hash(Window& window, const Decoder& decode, const Extent& extent,
                                 std::uint64_t symbol_limit) {
  const auto head = read_words(window, decode, extent, 0, 2, kSysvHash);
  if (!head) return head.error();
  const std::uint64_t bucket_count = (*head)[0];
  const std::uint64_t chain_count = (*head)[1];
  if (chain_count > symbol_limit) {
    return damaged(kSysvHash, fmt::format("at most {} symbols", symbol_limit), fmt::format("{}", chain_count));
  }
  const auto buckets = read_words(window, decode, extent, 2 * kWord, bucket_count, kSysvHash);
  if (!buckets) return buckets.error();
  const auto chains = read_words(window, decode, extent, (2 + bucket_count) * kWord, chain_count, kSysvHash);
  if (!chains) return chains.error();
  Reachable reachable{std::min<std::uint64_t>(1, chain_count), chain_count,
                      std::vector<bool>(static_cast<std::size_t>(chain_count))};
  for (const std::uint32_t bucket : *buckets) {
    for (std::uint32_t index = bucket; index != STN_UNDEF; index = (*chains)[index]) {
      if (index >= chain_count) {
        return damaged(kSysvHash, fmt::format("symbols below {}", chain_count), fmt::format("{}", index));
      }
      if (reachable.members[index]) return damaged(kSysvHash, "chains that end", fmt::format("symbol {} twice", index));
      reachable.members[index] = true;
    }
  }
  return reachable;
}

}  // namespace

Result<Reachable> read_hash_tables(Window& window, const Header& header, const Segments& segments,
                                   const Dynamic& dynamic, std::uint64_t symbol_limit) {
  const auto gnu = dynamic.value(DT_GNU_HASH);
  const auto address = gnu ? gnu : dynamic.value(DT_HASH);
  if (!address) return Reachable{};
  const auto extent = table_at(segments, *address, gnu ? kGnuHash : kSysvHash);
  if (!extent) return extent.error();
  return gnu ? read_gnu_hash(window, header.decoder(), *extent, symbol_limit)
             : read_sysv_hash(window, header.decoder(), *extent, symbol_limit);
}

}  // namespace myops::elf
