// What reading costs: few and small reads for an identity, few for the symbols.
#include <gtest/gtest.h>

#include <string>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

class CountingBytes final : public Bytes {
 public:
  explicit CountingBytes(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    ++reads;
    total += out.size();
    return bytes_.read(offset, out);
  }

  mutable int reads = 0;
  mutable std::uint64_t total = 0;

 private:
  SpanBytes bytes_;
};

// As large as a real plugin: thousands of imports, a note of 32 KiB.
Image plugin(std::size_t manifest_size) {
  Image image;
  image.soname("libmyops_cpu.so")
      .needed("libc10.so")
      .needed("libtorch_cpu.so")
      .needed("libstdc++.so.6")
      .needed("libc.so.6");
  image.named(DT_RUNPATH, "$ORIGIN");
  image.note(std::string("GNU\0", 4), NT_GNU_BUILD_ID, std::string(20, 'b'));
  image.note(std::string("myops\0", 6), 1, std::string(manifest_size, 'm') + std::string(32768 - manifest_size, '\0'));
  for (int i = 0; i < 4000; ++i)
    image.import({.name = "_ZN2at6native8function" + std::to_string(i) + "ERKNS_6TensorE"});
  return image;
}

TEST(ElfCost, IdentityOfAStampedPlugin) {
  const std::vector<std::byte> bytes = plugin(6000).build();
  ASSERT_GT(bytes.size(), 300000U);
  const CountingBytes counted(bytes);
  const auto facts = parse_elf(counted, Depth::kIdentity);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->needed.size(), 4U);
  EXPECT_EQ(facts->manifest->size(), 6000U);
  EXPECT_LE(counted.reads, 6);
  EXPECT_LT(counted.total, 20U << 10);
}

TEST(ElfCost, IdentityOfAPluginWhoseManifestFillsItsNote) {
  const std::vector<std::byte> bytes = plugin(32768).build();
  const CountingBytes counted(bytes);
  ASSERT_TRUE(parse_elf(counted, Depth::kIdentity));
  EXPECT_LE(counted.reads, 10);
  EXPECT_LT(counted.total, 64U << 10);
}

TEST(ElfCost, SymbolsAreReadInFewPieces) {
  const std::vector<std::byte> bytes = plugin(6000).build();
  const CountingBytes counted(bytes);
  const auto facts = parse_elf(counted, Depth::kSymbols);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->imports.size(), 4000U);
  EXPECT_LE(counted.reads, 20);
  EXPECT_LT(counted.total, bytes.size() + (64U << 10));
}

TEST(ElfCost, WhatIsNotElfCostsOneRead) {
  const std::vector<std::byte> bytes(10 << 20, std::byte{'t'});
  const CountingBytes counted(bytes);
  EXPECT_FALSE(parse_elf(counted, Depth::kSymbols));
  EXPECT_EQ(counted.reads, 1);
  EXPECT_EQ(counted.total, 4096U);
}

}  // namespace
}  // namespace myops::elf
