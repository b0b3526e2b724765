// Files that are large and hold next to nothing: their tables lie inside the file, and are not to be believed for that.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "loader/elf/faults.h"
#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

constexpr std::uint64_t kSize = std::uint64_t{1} << 40;

// An image, then zeros up to kSize, as `truncate -s 1T` leaves it.
class SparseBytes final : public Bytes {
 public:
  explicit SparseBytes(const std::vector<std::byte>& start) : start_(start) {}
  std::uint64_t size() const override { return kSize; }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    total += out.size();
    std::ranges::fill(out, std::byte{0});
    if (offset < start_.size()) {
      const std::size_t count = std::min<std::size_t>(out.size(), start_.size() - offset);
      std::copy_n(start_.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
    }
    return offset <= kSize && out.size() <= kSize - offset;
  }

  mutable std::uint64_t total = 0;

 private:
  const std::vector<std::byte>& start_;
};

class ElfSparse : public ::testing::Test {
 protected:
  ElfSparse() { image_.soname("libx.so").needed("libc.so.6").define({.name = "f"}).import({.name = "g"}); }

  std::vector<std::byte> build() {
    std::vector<std::byte> bytes = image_.build();
    image_.patch(bytes, "segments", offsetof(Elf64_Phdr, p_filesz), kSize, 8);
    image_.patch(bytes, "segments", offsetof(Elf64_Phdr, p_memsz), kSize, 8);
    return bytes;
  }

  // Gives up at `table`, with the identity known, after reading `most` bytes or less.
  static void expect_given_up(const std::vector<std::byte>& bytes, const std::string& table, const std::string& found,
                              std::uint64_t most = std::uint64_t{1} << 20) {
    const SparseBytes sparse(bytes);
    const auto facts = parse_elf(sparse, Depth::kSymbols);
    ASSERT_TRUE(facts) << to_text(facts.error());
    ASSERT_TRUE(facts->gave_up);
    EXPECT_EQ(facts->gave_up->code, Code::kTooLarge);
    EXPECT_EQ(facts->gave_up->subject, table);
    EXPECT_EQ(facts->gave_up->expected, std::to_string(kMaxTableBytes) + " bytes");
    EXPECT_EQ(facts->gave_up->found, found);
    EXPECT_TRUE(facts->identity_only);
    EXPECT_EQ(facts->soname, "libx.so");
    EXPECT_THAT(facts->needed, testing::ElementsAre("libc.so.6"));
    EXPECT_LE(sparse.total, most);
  }

  Image image_;
};

TEST_F(ElfSparse, SearchForANameGivesUp) {
  image_.more_dynamic = {{DT_STRSZ, kMaxTableBytes + 1}};
  const auto bytes = build();
  const SparseBytes sparse(bytes);
  const auto found = names_contain(sparse, "x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kTooLarge);
}

TEST_F(ElfSparse, SizeAloneDoesNoHarm) {
  const std::vector<std::byte> bytes = build();
  const SparseBytes sparse(bytes);
  const auto facts = parse_elf(sparse, Depth::kSymbols);
  ASSERT_TRUE(facts) << to_text(facts.error());
  EXPECT_FALSE(facts->gave_up);
  EXPECT_EQ(names_of(facts->exports), std::vector<std::string>{"f"});
  EXPECT_LT(sparse.total, 1U << 20);
}

TEST_F(ElfSparse, StringTable) {
  image_.more_dynamic = {{DT_STRSZ, kSize / 2}};
  expect_given_up(build(), "string table", "549755813888 bytes");
}

TEST_F(ElfSparse, Relocations) {
  image_.more_dynamic = {{DT_RELASZ, kSize / 2}};
  expect_given_up(build(), "DT_RELA", "549755813888 bytes");
}

TEST_F(ElfSparse, RelocationThatUsesTheLastSymbolThereIs) {
  std::vector<std::byte> bytes = build();
  image_.patch(bytes, "relocations", offsetof(Elf64_Rela, r_info) + 4, 0xffffffff, 4);
  expect_given_up(bytes, "symbol table", "103079215104 bytes");
}

TEST_F(ElfSparse, Buckets) {
  std::vector<std::byte> bytes = build();
  image_.patch(bytes, "gnu_hash", 0, 0xffffffff, 4);
  expect_given_up(bytes, "DT_GNU_HASH", "17179869180 bytes");
}

TEST_F(ElfSparse, ChainsOfTheOldTable) {
  image_.hash = Image::Hash::kSysv;
  std::vector<std::byte> bytes = build();
  image_.patch(bytes, "sysv_hash", 4, 0xffffffff, 4);
  expect_given_up(bytes, "DT_HASH", "17179869180 bytes");
}

// A table at a place of its own, without the word that ends its only chain: zeros from there on.
TEST_F(ElfSparse, ChainWithoutAnEnd) {
  constexpr std::size_t kPlace = 0x100000;
  image_.more_dynamic = {{DT_GNU_HASH, kPlace + Image::kBase}};
  std::vector<std::byte> bytes = build();
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(image_.offset_of("gnu_hash"));
  const std::vector<std::byte> table(begin, begin + static_cast<std::ptrdiff_t>(image_.size_of("gnu_hash")) - 4);
  bytes.resize(kPlace);
  bytes.insert(bytes.end(), table.begin(), table.end());
  const std::string found = std::to_string(kSize - bytes.size()) + " bytes";
  expect_given_up(bytes, "DT_GNU_HASH", found, kMaxTableBytes + (std::uint64_t{1} << 20));
}

}  // namespace
}  // namespace myops::elf
