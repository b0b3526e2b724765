#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Words of DT_GNU_HASH: buckets, first symbol, words of the bloom filter, its shift; then the filter (8 bytes), two
// buckets, the chains.
constexpr std::uint64_t kBloomWords = 8;
constexpr std::uint64_t kGnuBuckets = 24;
// Words of DT_HASH: buckets, chains; then two buckets, the chains.
constexpr std::uint64_t kSysvBuckets = 8;
constexpr std::uint64_t kSysvChains = 16;

Image with_exports(Image::Hash hash) {
  Image image;
  image.hash = hash;
  image.import({.name = "wanted"}).define({.name = "one"}).define({.name = "two"}).define({.name = "three"});
  return image;
}

TEST(ElfGnuHash, AFilterThatIsNoPowerOfTwo) {
  Image image = with_exports(Image::Hash::kGnu);
  std::vector<std::byte> bytes = image.build();
  for (const std::uint64_t words : {0ULL, 3ULL}) {
    image.patch(bytes, "gnu_hash", kBloomWords, words, 4);
    EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_GNU_HASH", "a bloom filter of a power of two of words",
                                         std::to_string(words)));
  }
}

TEST(ElfGnuHash, TablesLargerThanTheFile) {
  Image image = with_exports(Image::Hash::kGnu);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "gnu_hash", kBloomWords, 0x80000000, 4);
  EXPECT_THAT(parse(bytes),
              fails_with(Code::kDamaged, "DT_GNU_HASH", StartsWith("at most 0x"), "2 words at 0x400000010"));
  bytes = image.build();
  image.patch(bytes, "gnu_hash", 0, 0xffffffff, 4);
  EXPECT_THAT(parse(bytes),
              fails_with(Code::kDamaged, "DT_GNU_HASH", StartsWith("at most 0x"), "4294967295 words at 0x18"));
}

TEST(ElfGnuHash, BucketsOutsideTheSymbolTable) {
  Image image = with_exports(Image::Hash::kGnu);
  std::vector<std::byte> bytes = image.build();
  for (const std::uint64_t bucket : {1ULL, 0xfffffff0ULL}) {
    image.patch(bytes, "gnu_hash", kGnuBuckets, bucket, 4);
    EXPECT_THAT(parse(bytes),
                fails_with(Code::kDamaged, "DT_GNU_HASH", StartsWith("symbols 2 to "), std::to_string(bucket)));
  }
}

TEST(ElfGnuHash, AChainWithoutAnEnd) {
  Image image = with_exports(Image::Hash::kGnu);
  image.more_segments.emplace_back();
  image.more_dynamic = {{DT_GNU_HASH, 0}};
  image.build();
  // A segment of its own for the table, so that it ends where the last chain should have.
  const std::uint64_t start = image.offset_of("gnu_hash");
  const std::uint64_t size = image.size_of("gnu_hash");
  image.more_segments = {{PT_LOAD, PF_R, start, 0x100000 + start, size, size}};
  image.more_dynamic = {{DT_GNU_HASH, 0x100000 + start}};
  std::vector<std::byte> bytes = image.build();
  EXPECT_EQ(parse(bytes)->exports.size(), 3U);
  image.patch(bytes, "gnu_hash", size - 4, 2, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_GNU_HASH", "a chain that ends", "none from symbol 2"));
}

TEST(ElfGnuHash, NothingExported) {
  Image image;
  image.import({.name = "wanted"});
  const auto facts = parse(image.build());
  EXPECT_THAT(facts->exports, IsEmpty());
  EXPECT_THAT(names_of(facts->imports), testing::ElementsAre("wanted"));
}

TEST(ElfGnuHash, IsPreferredToTheOldTable) {
  Image image = with_exports(Image::Hash::kBoth);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "sysv_hash", 0, 0xffffffff, 4);
  EXPECT_EQ(parse(bytes)->exports.size(), 3U);
}

TEST(ElfSysvHash, AChainThatComesBackToItself) {
  Image image = with_exports(Image::Hash::kSysv);
  std::vector<std::byte> bytes = image.build();
  // Symbol 2 follows itself.
  image.patch(bytes, "sysv_hash", kSysvBuckets, 2, 4);
  image.patch(bytes, "sysv_hash", kSysvChains + 2 * 4, 2, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_HASH", "chains that end", "symbol 2 twice"));
}

TEST(ElfSysvHash, ALongerCycle) {
  Image image = with_exports(Image::Hash::kSysv);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "sysv_hash", kSysvBuckets, 2, 4);
  image.patch(bytes, "sysv_hash", kSysvBuckets + 4, 0, 4);
  image.patch(bytes, "sysv_hash", kSysvChains + 2 * 4, 3, 4);
  image.patch(bytes, "sysv_hash", kSysvChains + 3 * 4, 4, 4);
  image.patch(bytes, "sysv_hash", kSysvChains + 4 * 4, 2, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_HASH", "chains that end", "symbol 2 twice"));
}

TEST(ElfSysvHash, ChainsOutsideTheTable) {
  Image image = with_exports(Image::Hash::kSysv);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "sysv_hash", kSysvBuckets, 5, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_HASH", "symbols below 5", "5"));
  bytes = image.build();
  image.patch(bytes, "sysv_hash", 4, 0xffffffff, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_HASH", HasSubstr("symbols"), "4294967295"));
}

TEST(ElfSysvHash, NoChainsAtAll) {
  Image image = with_exports(Image::Hash::kSysv);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "sysv_hash", 0, 0, 8);
  const auto facts = parse(bytes);
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->exports, IsEmpty());
  EXPECT_THAT(names_of(facts->imports), testing::ElementsAre("wanted"));
}

TEST(ElfSysvHash, SymbolsThatNoChainReachesAreNotFound) {
  Image image = with_exports(Image::Hash::kSysv);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "sysv_hash", kSysvBuckets, 0, 4);
  image.patch(bytes, "sysv_hash", kSysvBuckets + 4, 0, 4);
  EXPECT_THAT(parse(bytes)->exports, IsEmpty());
}

}  // namespace
}  // namespace myops::elf
