#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

constexpr std::size_t kEntry = sizeof(Elf64_Dyn);

TEST(ElfDynamic, Names) {
  Image image;
  image.needed("libc10.so").soname("libx.so").needed("libm.so.6").needed("libc10.so");
  image.named(DT_RPATH, "/old").named(DT_RUNPATH, "$ORIGIN:/new");
  for (const Depth depth : {Depth::kIdentity, Depth::kSymbols}) {
    const auto facts = parse(image.build(), depth);
    ASSERT_TRUE(facts);
    EXPECT_THAT(facts->needed, ElementsAre("libc10.so", "libm.so.6", "libc10.so"));
    EXPECT_EQ(facts->soname, "libx.so");
    EXPECT_THAT(facts->rpath, Optional(std::string("/old")));
    EXPECT_THAT(facts->runpath, Optional(std::string("$ORIGIN:/new")));
    EXPECT_EQ(facts->identity_only, depth == Depth::kIdentity);
  }
}

TEST(ElfDynamic, FindsPartsOfNames) {
  Image image;
  // The second name lies across two of the pieces that the table is read in.
  image.soname(std::string(16380, 'x')).needed("liba__cxx11.so");
  const auto file = image.build();
  const auto contain = [&](std::string_view part) { return names_contain(SpanBytes(file), part); };
  EXPECT_TRUE(*contain("__cxx11"));
  EXPECT_TRUE(*contain("liba"));
  EXPECT_FALSE(*contain("__cxx12"));
  EXPECT_FALSE(names_contain(SpanBytes(std::span(file).first(100)), "x"));
}

TEST(ElfDynamic, AbsentNames) {
  const auto facts = parse(Image().build());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->soname, "");
  EXPECT_EQ(facts->rpath, std::nullopt);
  EXPECT_EQ(facts->runpath, std::nullopt);
}

TEST(ElfDynamic, TheLastOfATagCounts) {
  Image image;
  image.soname("first.so").soname("second.so");
  EXPECT_EQ(parse(image.build())->soname, "second.so");
}

TEST(ElfDynamic, Flags) {
  Image image;
  image.more_dynamic = {{DT_FLAGS, DF_STATIC_TLS | DF_TEXTREL}, {DT_FLAGS_1, DF_1_NOOPEN | DF_1_NODEFLIB}};
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->static_tls);
  EXPECT_TRUE(facts->text_relocations);
  EXPECT_TRUE(facts->no_open);
  EXPECT_TRUE(facts->no_default_folders);
  EXPECT_FALSE(facts->pie_executable);
  EXPECT_EQ(refusal(*facts)->found, "a library marked DF_1_NOOPEN, which cannot be opened at run time");
}

TEST(ElfDynamic, FlagsByTheirOwnTags) {
  Image image;
  const auto plain = parse(image.build());
  EXPECT_FALSE(plain->text_relocations || plain->static_tls || plain->no_open);
  image.more_dynamic = {{DT_TEXTREL, 0}};
  EXPECT_TRUE(parse(image.build())->text_relocations);
}

TEST(ElfDynamic, ALibraryHasOne) {
  Image image;
  image.with_dynamic = false;
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "dynamic section", "present", "absent"));
}

TEST(ElfDynamic, DebugInformationHasAnEmptyOne) {
  Image image;
  image.more_segments = {{PT_DYNAMIC, PF_R, 0, 0, 0, 0x100, 8}};
  EXPECT_THAT(parse(image.build()),
              fails_with(Code::kDamaged, "dynamic section", "its content", "none (a file of debug information?)"));
}

TEST(ElfDynamic, OutsideTheFile) {
  Image image;
  image.with_dynamic = false;
  image.more_segments = {{PT_DYNAMIC, PF_R, 0x40, 0x7fff0000, 0x100, 0x100, 8}};
  EXPECT_THAT(parse(image.build()),
              fails_with(Code::kDamaged, "dynamic section", "an address in the file", "0x7fff0000"));
}

TEST(ElfDynamic, WithoutAnEndMark) {
  Image image;
  image.soname("libx.so");
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "dynamic", image.size_of("dynamic") - kEntry, DT_DEBUG, 8);
  EXPECT_EQ(parse(bytes)->soname, "libx.so");
}

// glibc takes these for granted: it reads through a null pointer, or asserts.
TEST(ElfDynamic, TablesThatMustBeThere) {
  const std::vector<std::byte> original = Image().build();
  for (const auto& [tag, name] : {std::pair{DT_STRTAB, "DT_STRTAB"}, std::pair{DT_SYMTAB, "DT_SYMTAB"}}) {
    Image image;
    std::vector<std::byte> bytes = image.build();
    for (std::uint64_t at = 0; at < image.size_of("dynamic"); at += kEntry) {
      if (bytes[image.offset_of("dynamic") + at] == static_cast<std::byte>(tag)) {
        image.patch(bytes, "dynamic", at, DT_DEBUG, 8);
      }
    }
    EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "dynamic section", name, "absent"));
  }
}

TEST(ElfDynamic, SizesOfRelocations) {
  Image image;
  image.more_dynamic = {{DT_RELAENT, 23}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "dynamic section", "DT_RELAENT 24", "23"));
  image.rela = false;
  image.more_dynamic = {{DT_RELENT, 8}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "dynamic section", "DT_RELENT 16", "8"));
  image.more_dynamic = {{DT_PLTREL, 9}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "dynamic section", "DT_PLTREL DT_RELA or DT_REL", "9"));
}

TEST(ElfStrings, OutsideTheTable) {
  Image image;
  image.more_dynamic = {{DT_NEEDED, 0xffffffffffff}};
  EXPECT_THAT(parse(image.build(), Depth::kIdentity),
              fails_with(Code::kDamaged, "DT_NEEDED", StartsWith("an offset below 0x"), "0xffffffffffff"));
}

TEST(ElfStrings, WithoutAnEnd) {
  Image image;
  image.soname("libx.so");
  std::vector<std::byte> bytes = image.build();
  bytes.back() = std::byte{'!'};
  EXPECT_THAT(parse(bytes, Depth::kIdentity),
              fails_with(Code::kDamaged, "DT_SONAME", "a string that ends", "none in the string table"));
}

TEST(ElfStrings, ATableLongerThanItsSegment) {
  Image image;
  image.more_dynamic = {{DT_STRSZ, 0x100000}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "string table", StartsWith("at most 0x"), "0x100000"));
}

TEST(ElfStrings, ATableOutsideTheFile) {
  Image image;
  image.more_dynamic = {{DT_STRTAB, 0x10}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "string table", "an address in the file", "0x10"));
}

// One long string, named by each of many entries, must not cost their product.
TEST(ElfStrings, OneStringNamedAgainAndAgain) {
  Image image;
  image.needed(std::string(2000, 'x'));
  for (int i = 0; i < 1000; ++i) image.more_dynamic.emplace_back(DT_NEEDED, 1);
  EXPECT_THAT(parse(image.build()),
              fails_with(Code::kDamaged, "DT_NEEDED", "strings shorter than the file", HasSubstr("0x")));
}

TEST(ElfStrings, LongerThanOneRead) {
  Image image;
  const std::string path(5000, 'p');
  image.named(DT_RUNPATH, path);
  EXPECT_THAT(parse(image.build(), Depth::kIdentity)->runpath, Optional(path));
}

}  // namespace
}  // namespace myops::elf
