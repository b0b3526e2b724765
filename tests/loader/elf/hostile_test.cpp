// Real bytes, damaged in every way that is cheap to try. Whatever they say, the reader answers; under ASan and UBSan it
// also touches nothing that it should not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::AnyOf;
using testing::Contains;

std::vector<std::byte> real_library() {
  std::ifstream file(MYOPS_ELF_FIXTURE, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// With the tables that today's linkers no longer write: DT_HASH alone, DT_REL; and versions that share a file.
std::vector<std::byte> old_library() {
  Image image;
  image.hash = Image::Hash::kSysv;
  image.rela = false;
  image.soname("libold.so").needed("libc.so.6").named(DT_RPATH, "$ORIGIN");
  image.note(std::string("GNU\0", 4), NT_GNU_BUILD_ID, "0123456789abcdef0123");
  image.note(std::string("myops\0", 6), 1, std::string(40, '{') + std::string(24, '\0'));
  image.needs_version("libc.so.6", "GLIBC_2.2.5", 4).needs_version("libc.so.6", "GLIBC_2.3", 5, VER_FLG_WEAK);
  image.defines_version("libold.so", 1, VER_FLG_BASE).defines_version("V1", 2).defines_version("V2", 3);
  for (const char* name : {"one", "two", "three", "four"}) image.define({.name = name, .version = 2});
  for (const char* name : {"five", "six"}) image.import({.name = name, .version = 4});
  return image.build();
}

class ElfHostile : public testing::TestWithParam<std::vector<std::byte> (*)()> {
 protected:
  void SetUp() override {
    bytes_ = GetParam()();
    ASSERT_TRUE(parse(bytes_));
  }

  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::vector<Elf64_Phdr> segments() const {
    const auto header = at<Elf64_Ehdr>(0);
    std::vector<Elf64_Phdr> result;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i)
      result.push_back(at<Elf64_Phdr>(header.e_phoff + i * header.e_phentsize));
    return result;
  }
  // One past the last byte that is mapped.
  std::uint64_t end_of_mapped() const {
    std::uint64_t end = 0;
    for (const Elf64_Phdr& segment : segments()) {
      if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
    }
    return end;
  }

  std::vector<std::byte> bytes_;
};

// The real library only.
class ElfHostileFixture : public ElfHostile {};

// Either facts, or one of the reasons that a file can give (unreadable is for disks).
void expect_an_answer(const std::vector<std::byte>& bytes, const std::string& what) {
  for (const Depth depth : {Depth::kIdentity, Depth::kSymbols}) {
    const auto facts = parse(bytes, depth);
    if (facts) continue;
    EXPECT_THAT(facts.error().code, AnyOf(Code::kNotALibrary, Code::kTruncated, Code::kDamaged)) << what;
    EXPECT_FALSE(facts.error().expected.empty()) << what;
    EXPECT_FALSE(facts.error().found.empty()) << what;
  }
}

TEST_P(ElfHostileFixture, HasEverything) {
  const auto facts = parse(bytes_);
  EXPECT_THAT(names_of(facts->exports),
              testing::IsSupersetOf({"fixture_sine", "fixture_print", "fixture_weak", "fixture_counter"}));
  EXPECT_THAT(names_of(facts->imports), testing::IsSupersetOf({"sin", "puts", "fixture_absent"}));
  EXPECT_THAT(facts->version_definitions, testing::ElementsAre("FIXTURE_1", "FIXTURE_2"));
  EXPECT_THAT(facts->needed, Contains("libc.so.6"));
  EXPECT_FALSE(facts->build_id.empty());
  EXPECT_EQ(facts->manifest, "");
  EXPECT_EQ(facts->manifest_capacity, 256U);
}

TEST_P(ElfHostileFixture, TruncatedAtEveryOffset) {
  const std::uint64_t mapped = end_of_mapped();
  ASSERT_LT(mapped, bytes_.size());
  for (std::size_t length = 0; length < bytes_.size(); ++length) {
    // A copy of its own, so that a read past the end is one past an allocation.
    const std::vector<std::byte> cut(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(length));
    const auto facts = parse(cut);
    if (length >= mapped) {
      ASSERT_TRUE(facts) << length << ": " << to_text(facts.error());
      EXPECT_TRUE(facts->section_headers_cut) << length;
    } else {
      ASSERT_FALSE(facts) << length;
      EXPECT_EQ(facts.error().code, length < SELFMAG ? Code::kNotALibrary : Code::kTruncated) << length;
    }
  }
}

TEST_P(ElfHostile, EveryByteOfTheHeadersWithEveryValue) {
  const auto header = at<Elf64_Ehdr>(0);
  const std::uint64_t end = header.e_phoff + std::uint64_t{header.e_phnum} * header.e_phentsize;
  for (std::uint64_t offset = 0; offset < end; ++offset) {
    const std::byte before = bytes_[offset];
    for (int value = 0; value < 256; ++value) {
      bytes_[offset] = static_cast<std::byte>(value);
      expect_an_answer(bytes_, std::to_string(offset) + " = " + std::to_string(value));
    }
    bytes_[offset] = before;
  }
}

TEST_P(ElfHostile, EveryMappedByteWithTellingValues) {
  for (std::uint64_t offset = 0; offset < end_of_mapped(); ++offset) {
    const std::byte before = bytes_[offset];
    for (const std::byte value :
         {std::byte{0}, std::byte{0x7f}, std::byte{0xff}, before ^ std::byte{1}, before ^ std::byte{0x80}}) {
      bytes_[offset] = value;
      expect_an_answer(bytes_, std::to_string(offset));
    }
    bytes_[offset] = before;
  }
}

// Whole words at once: sizes, offsets and counts that a single byte does not reach.
TEST_P(ElfHostile, WordsOfTheTablesWithExtremes) {
  for (std::uint64_t offset = 0; offset + 8 <= end_of_mapped(); offset += 4) {
    const auto before = at<std::uint64_t>(offset);
    for (const std::uint64_t value :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{0x7fffffff},
          std::uint64_t{bytes_.size()}, bytes_.size() - 1, before + 1, before - 1}) {
      std::memcpy(bytes_.data() + offset, &value, 8);
      expect_an_answer(bytes_, std::to_string(offset));
      std::memcpy(bytes_.data() + offset, &value, 4);
      expect_an_answer(bytes_, std::to_string(offset));
    }
    std::memcpy(bytes_.data() + offset, &before, 8);
  }
}

TEST_P(ElfHostile, ManyBytesAtOnce) {
  std::mt19937 random(20240229);
  const std::vector<std::byte> original = bytes_;
  const std::uint64_t end = end_of_mapped();
  for (int round = 0; round < 20000; ++round) {
    bytes_ = original;
    const int changes = 1 + static_cast<int>(random() % 16);
    for (int i = 0; i < changes; ++i) bytes_[random() % end] = static_cast<std::byte>(random());
    // The identity is kept, so that most get past the header.
    std::copy_n(original.begin(), EI_NIDENT, bytes_.begin());
    expect_an_answer(bytes_, "round " + std::to_string(round));
  }
}

TEST_P(ElfHostile, FailingReadsAreUnreadable) {
  // Reads succeed up to a count, then fail, as on a bad disk.
  class Failing final : public Bytes {
   public:
    Failing(const std::vector<std::byte>& bytes, int reads) : bytes_(bytes), reads_left_(reads) {}
    std::uint64_t size() const override { return bytes_.size(); }
    bool read(std::uint64_t offset, std::span<std::byte> out) const override {
      return reads_left_-- > 0 && SpanBytes(bytes_).read(offset, out);
    }

   private:
    const std::vector<std::byte>& bytes_;
    mutable int reads_left_;
  };
  int reads = 0;
  for (;; ++reads) {
    const auto facts = parse_elf(Failing(bytes_, reads), Depth::kSymbols);
    if (facts) break;
    EXPECT_THAT(facts, fails_with(Code::kUnreadable, "", testing::HasSubstr(" bytes at 0x"), "the read failed"));
  }
  EXPECT_GT(reads, 5);
}

const auto kName = [](const auto& test) { return test.param == &real_library ? "RealLibrary" : "OldLibrary"; };
INSTANTIATE_TEST_SUITE_P(ElfFiles, ElfHostile, testing::Values(&real_library, &old_library), kName);
INSTANTIATE_TEST_SUITE_P(ElfFiles, ElfHostileFixture, testing::Values(&real_library), kName);

}  // namespace
}  // namespace myops::elf
