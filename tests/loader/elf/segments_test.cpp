#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The second PT_LOAD of a file, at what is program header 2.
std::vector<std::byte> with_segment(ImageSegment segment) {
  Image image;
  image.more_segments = {segment};
  return image.build();
}

TEST(ElfSegments, TruncatedWhereAMappedPartIsCutOff) {
  Image image;
  const std::vector<std::byte> bytes = image.build();
  const std::string whole = std::to_string(bytes.size());
  for (const std::size_t length : {bytes.size() - 1, bytes.size() / 2, std::size_t{300}}) {
    EXPECT_THAT(parse(std::span(bytes).first(length)),
                fails_with(Code::kTruncated, "program header 0", "at least " + whole + " bytes",
                           std::to_string(length) + " bytes"));
  }
}

TEST(ElfSegments, TruncatedWithinTheProgramHeaders) {
  Image image;
  const std::vector<std::byte> bytes = image.build();
  EXPECT_THAT(parse(std::span(bytes).first(64 + 56)),
              fails_with(Code::kTruncated, "program headers", "at least 176 bytes", "120 bytes"));
}

TEST(ElfSegments, ProgramHeadersFarOutside) {
  Image image;
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "header", offsetof(Elf64_Ehdr, e_phoff), 0xffffffffffffffff, 8);
  EXPECT_THAT(parse(bytes), fails_with(Code::kTruncated, "program headers", StartsWith("112 bytes from 0xffff"),
                                       HasSubstr(" bytes")));
}

TEST(ElfSegments, AsManyAsTheFieldHolds) {
  Image image;
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "header", offsetof(Elf64_Ehdr, e_phnum), 0xffff, 2);
  EXPECT_THAT(parse(bytes),
              fails_with(Code::kTruncated, "program headers", "at least 3670024 bytes", HasSubstr(" bytes")));
}

TEST(ElfSegments, OffsetPlusSizeOverflows) {
  EXPECT_THAT(
      parse(with_segment({PT_LOAD, PF_R, 0xffffffffffff0000, 0x100000, 0x20000, 0x20000})),
      fails_with(Code::kTruncated, "program header 2", "131072 bytes from 0xffffffffffff0000", HasSubstr(" bytes")));
}

TEST(ElfSegments, MoreInTheFileThanInMemory) {
  EXPECT_THAT(parse(with_segment({PT_LOAD, PF_R, 0, 0x100000, 0x40, 0x10})),
              fails_with(Code::kDamaged, "program header 2", "at most 0x10 bytes in the file", "0x40"));
}

TEST(ElfSegments, AddressesThatOverflow) {
  EXPECT_THAT(parse(with_segment({PT_LOAD, PF_R, 0, 0xfffffffffffff000, 0x10, 0x2000})),
              fails_with(Code::kDamaged, "program header 2", "a range of addresses", "0xfffffffffffff000 + 0x2000"));
}

TEST(ElfSegments, AddressAndOffsetApart) {
  EXPECT_THAT(parse(with_segment({PT_LOAD, PF_R, 0x10, 0x100020, 0x10, 0x10})),
              fails_with(Code::kDamaged, "program header 2", "address and offset alike within a page",
                         "address 0x100020, offset 0x10"));
}

TEST(ElfSegments, OverlappingOrDescending) {
  EXPECT_THAT(
      parse(with_segment({PT_LOAD, PF_R, 0x10, Image::kBase + 0x10, 0x10, 0x10})),
      fails_with(Code::kDamaged, "program header 2", StartsWith("an address after 0x10000 + 0x"), "0x10010 + 0x10"));
  EXPECT_THAT(
      parse(with_segment({PT_LOAD, PF_R, 0, 0x1000, 0x10, 0x10})),
      fails_with(Code::kDamaged, "program header 2", StartsWith("an address after 0x10000 + 0x"), "0x1000 + 0x10"));
}

TEST(ElfSegments, NothingButZerosInMemoryIsFine) {
  EXPECT_TRUE(parse(with_segment({PT_LOAD, PF_R | PF_W, 0, 0x100000, 0, 0x4000})));
}

// glibc reads the notes of the file itself before it maps anything.
TEST(ElfSegments, NotesBeyondTheEnd) {
  EXPECT_THAT(parse(with_segment({PT_NOTE, PF_R, 0x10, 0x900000, 0x100000, 0x100000, 4})),
              fails_with(Code::kTruncated, "program header 2", "at least 1048592 bytes", HasSubstr(" bytes")));
  EXPECT_TRUE(parse(with_segment({PT_NOTE, PF_R, 0x10, 0x900000, 0x100000, 0x100000, 1})));
}

TEST(ElfSegments, OtherTypesMayBeAnything) {
  EXPECT_TRUE(
      parse(with_segment({PT_GNU_EH_FRAME, PF_R, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0, 3})));
}

TEST(ElfSegments, LargestPage) {
  Image image;
  EXPECT_EQ(parse(image.build())->load_alignment, Image::kBase);
  image.more_segments = {{PT_LOAD, PF_R, 0x10, 0x101010, 0x10, 0x10}};
  EXPECT_EQ(parse(image.build())->load_alignment, 0x1000U);
}

TEST(ElfSegments, ExecutableStack) {
  Image image;
  // Without the segment glibc takes the default of the machine, which is executable on x86.
  EXPECT_TRUE(parse(image.build())->executable_stack);
  image.more_segments = {{PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 16}};
  EXPECT_FALSE(parse(image.build())->executable_stack);
  image.more_segments[0].flags = PF_R | PF_W | PF_X;
  EXPECT_TRUE(parse(image.build())->executable_stack);
  image.more_segments.clear();
  image.machine = EM_AARCH64;
  EXPECT_FALSE(parse(image.build())->executable_stack);
}

}  // namespace
}  // namespace myops::elf
