#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using namespace std::string_literals;
using testing::Optional;

const std::string kGnu("GNU\0", 4);
const std::string kMyops("myops\0", 6);
constexpr std::uint32_t kManifest = 1;
constexpr std::uint32_t kIsaNeeded = 0xc0008002;

std::string property(std::uint32_t type, std::uint32_t value, std::uint32_t size = 4) {
  ByteWriter bytes(64, true);
  bytes.u32(type);
  bytes.u32(size);
  bytes.u32(value);
  bytes.align(8);
  return {reinterpret_cast<const char*>(bytes.data().data()), bytes.size()};
}

std::string padded(const std::string& text, std::size_t size) { return text + std::string(size - text.size(), '\0'); }

TEST(ElfNotes, BuildId) {
  Image image;
  image.note(kGnu, NT_GNU_BUILD_ID, "\x00\x9a\xff"s);
  EXPECT_EQ(parse(image.build(), Depth::kIdentity)->build_id, "009aff");
}

TEST(ElfNotes, TheFirstBuildIdCounts) {
  Image image;
  image.note(kGnu, NT_GNU_BUILD_ID, "\x01").note(kGnu, NT_GNU_BUILD_ID, "\x02");
  EXPECT_EQ(parse(image.build())->build_id, "01");
}

TEST(ElfNotes, NoneAtAll) {
  const auto facts = parse(Image().build());
  EXPECT_EQ(facts->build_id, "");
  EXPECT_EQ(facts->manifest, std::nullopt);
  EXPECT_EQ(facts->manifest_capacity, 0U);
  EXPECT_EQ(facts->isa_needed, 0U);
}

TEST(ElfNotes, IsaLevelFromEitherSegment) {
  for (const std::uint32_t segment : {PT_NOTE, PT_GNU_PROPERTY}) {
    Image image;
    image.note(kGnu, NT_GNU_PROPERTY_TYPE_0, property(kIsaNeeded, 0b110), 8, segment);
    const auto facts = parse(image.build(), Depth::kIdentity);
    EXPECT_EQ(facts->isa_needed, 0b110U);
    EXPECT_EQ(isa_level_name(facts->isa_needed), "x86-64-v3");
  }
}

TEST(ElfNotes, IsaLevelBehindOtherProperties) {
  Image image;
  image.note(kGnu, NT_GNU_PROPERTY_TYPE_0, property(0xc0000002, 3) + property(kIsaNeeded, 8) + property(0xc0010001, 1),
             8);
  EXPECT_EQ(parse(image.build())->isa_needed, 8U);
}

TEST(ElfNotes, PropertiesThatLie) {
  Image image;
  image.note(kGnu, NT_GNU_PROPERTY_TYPE_0, property(0xc0000002, 3, 0xfffffff0) + property(kIsaNeeded, 8), 8);
  EXPECT_EQ(parse(image.build())->isa_needed, 0U);
}

TEST(ElfNotes, PropertiesOfOtherMachinesMeanSomethingElse) {
  Image image;
  image.machine = EM_AARCH64;
  image.note(kGnu, NT_GNU_PROPERTY_TYPE_0, property(kIsaNeeded, 8), 8);
  EXPECT_EQ(parse(image.build())->isa_needed, 0U);
}

TEST(ElfNotes, Manifest) {
  Image image;
  image.note(kGnu, NT_GNU_BUILD_ID, "\x01\x02\x03\x04").note(kMyops, kManifest, padded(R"({"format": 1})", 64));
  const std::vector<std::byte> bytes = image.build();
  const auto facts = parse(bytes, Depth::kIdentity);
  EXPECT_THAT(facts->manifest, Optional(std::string(R"({"format": 1})")));
  EXPECT_EQ(facts->manifest_capacity, 64U);
  EXPECT_EQ(facts->manifest_offset, image.offset_of("note1") + 12 + 8);
  EXPECT_EQ(bytes[facts->manifest_offset], std::byte{'{'});
}

// The linker may put several notes into one segment.
TEST(ElfNotes, ManifestBehindAnotherNoteOfItsSegment) {
  Image image;
  image.note(kGnu, NT_GNU_BUILD_ID, "\x01\x02\x03\x04").note(kMyops, kManifest, padded("{}", 16));
  image.build();
  const std::uint64_t start = image.offset_of("note0");
  const std::uint64_t size = image.offset_of("note1") + image.size_of("note1") - start;
  image.more_segments = {{PT_NOTE, PF_R, start, start + Image::kBase, size, size, 4}};
  const auto facts = parse(image.build());
  EXPECT_THAT(facts->manifest, Optional(std::string("{}")));
  EXPECT_EQ(facts->build_id, "01020304");
}

TEST(ElfNotes, ReservedButNeverWritten) {
  Image image;
  image.note(kMyops, kManifest, std::string(32768, '\0'));
  const auto facts = parse(image.build(), Depth::kIdentity);
  EXPECT_THAT(facts->manifest, Optional(std::string()));
  EXPECT_EQ(facts->manifest_capacity, 32768U);
}

TEST(ElfNotes, ManifestThatFillsItsNote) {
  Image image;
  const std::string text(32768, 'm');
  image.note(kMyops, kManifest, text);
  EXPECT_THAT(parse(image.build(), Depth::kIdentity)->manifest, Optional(text));
}

TEST(ElfNotes, OtherOwnersAndTypes) {
  Image image;
  image.note("myop\0\0"s, kManifest, padded("{}", 8))
      .note(kMyops, 2, padded("{}", 8))
      .note("other"s, kManifest, padded("{}", 8));
  EXPECT_EQ(parse(image.build())->manifest, std::nullopt);
}

TEST(ElfNotes, DescriptionLongerThanItsSegmentIsCutThere) {
  Image image;
  image.note(kMyops, kManifest, padded("{}", 64));
  std::vector<std::byte> bytes = image.build();
  for (const std::uint64_t lie : {65ULL, 0xfffffff0ULL, 0xffffffffULL}) {
    image.patch(bytes, "note0", 4, lie, 4);
    const auto facts = parse(bytes, Depth::kIdentity);
    ASSERT_TRUE(facts);
    EXPECT_THAT(facts->manifest, Optional(std::string("{}")));
    EXPECT_EQ(facts->manifest_capacity, 64U);
  }
}

TEST(ElfNotes, ShorterDescriptionCutsTheText) {
  Image image;
  image.note(kMyops, kManifest, padded(R"({"format": 1})", 64));
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "note0", 4, 5, 4);
  const auto facts = parse(bytes);
  EXPECT_THAT(facts->manifest, Optional(std::string(R"({"for)")));
  EXPECT_EQ(facts->manifest_capacity, 5U);
}

TEST(ElfNotes, OwnerLongerThanItsSegmentEndsTheReading) {
  Image image;
  image.note(kMyops, kManifest, padded("{}", 64));
  std::vector<std::byte> bytes = image.build();
  for (const std::uint64_t lie : {80ULL, 0xffffffffULL}) {
    image.patch(bytes, "note0", 0, lie, 4);
    const auto facts = parse(bytes);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->manifest, std::nullopt);
  }
}

// Segments that lie over one another must not multiply the work: all of these would be 50 million notes.
TEST(ElfNotes, OverlappingSegmentsAreBounded) {
  Image image;
  std::string empty_notes;
  for (int i = 0; i < 20000; ++i) empty_notes += std::string(12, '\0');
  image.note(kGnu, 77, empty_notes);
  image.build();
  const std::uint64_t start = image.offset_of("note0");
  for (int i = 0; i < 2500; ++i) image.more_segments.push_back({PT_NOTE, PF_R, start, 0, 240000, 240000, 4});
  const auto facts = parse(image.build(), Depth::kIdentity);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->build_id, "");
}

}  // namespace
}  // namespace myops::elf
