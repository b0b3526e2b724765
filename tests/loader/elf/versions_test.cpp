#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ElfVersions, Needs) {
  Image image;
  image.needs_version("libc.so.6", "GLIBC_2.34", 2).needs_version("libstdc++.so.6", "GLIBCXX_3.4.30", 3, VER_FLG_WEAK);
  image.import({.name = "strong", .version = 2}).import({.name = "plain", .version = 1});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->version_needs.size(), 2U);
  EXPECT_EQ(facts->version_needs[0].file, "libc.so.6");
  EXPECT_EQ(facts->version_needs[0].version, "GLIBC_2.34");
  EXPECT_FALSE(facts->version_needs[0].weak);
  EXPECT_EQ(facts->version_needs[1].file, "libstdc++.so.6");
  EXPECT_TRUE(facts->version_needs[1].weak);
  EXPECT_TRUE(facts->versioned_symbols);
  EXPECT_FALSE(facts->has_version_definitions);
  ASSERT_THAT(names_of(facts->imports), ElementsAre("strong", "plain"));
  EXPECT_EQ(facts->imports[0].version, "GLIBC_2.34");
  EXPECT_EQ(facts->imports[0].version_file, "libc.so.6");
  EXPECT_EQ(facts->imports[1].version, "");
  EXPECT_EQ(facts->imports[1].version_file, "");
}

TEST(ElfVersions, NoSymbolHasAVersionBeyondAllRecords) {
  Image image;
  image.needs_version("libc.so.6", "GLIBC_2.34", 3).import({.name = "gap", .version = 2});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts) << "glibc has an empty entry there";
  EXPECT_EQ(facts->imports[0].version, "");
  image.import({.name = "stray", .version = 9});
  EXPECT_THAT(parse(image.build()),
              fails_with(Code::kDamaged, "DT_VERSYM", "versions up to 3", HasSubstr("9 of symbol")));
}

TEST(ElfVersions, Definitions) {
  Image image;
  image.defines_version("libx.so", 1, VER_FLG_BASE).defines_version("V1", 2).defines_version("V2", 3);
  image.define({.name = "old", .version = 0x8002})
      .define({.name = "now", .version = 3})
      .define({.name = "base", .version = 1});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->base_version, "libx.so");
  EXPECT_THAT(facts->version_definitions, ElementsAre("V1", "V2"));
  EXPECT_TRUE(facts->has_version_definitions);
  for (const Symbol& symbol : facts->exports) {
    EXPECT_EQ(symbol.version, symbol.name == "old" ? "V1" : symbol.name == "now" ? "V2" : "");
    EXPECT_EQ(symbol.hidden_version, symbol.name == "old");
    EXPECT_EQ(symbol.version_index, symbol.name == "old" ? 2 : symbol.name == "now" ? 3 : 1);
    EXPECT_EQ(symbol.version_file, "");
  }
}

// The linker looks at DT_VERSYM only where versions are needed or defined.
TEST(ElfVersions, IndexesAlone) {
  Image image;
  image.with_versym = true;
  image.define({.name = "symbol", .version = 0x8005});
  const auto facts = parse(image.build());
  EXPECT_FALSE(facts->versioned_symbols);
  EXPECT_EQ(facts->exports[0].version_index, 0);
  EXPECT_FALSE(facts->exports[0].hidden_version);
}

TEST(ElfVersions, TheBaseAlone) {
  Image image;
  image.defines_version("libx.so", 1, VER_FLG_BASE);
  const auto facts = parse(image.build());
  EXPECT_TRUE(facts->has_version_definitions);
  EXPECT_THAT(facts->version_definitions, IsEmpty());
}

TEST(ElfVersions, UnknownRecords) {
  Image image;
  image.needs_version("libc.so.6", "V", 2).defines_version("W", 3);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "needs", 0, 2, 2);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_VERNEED", "records of version 1", "version 2"));
  bytes = image.build();
  image.patch(bytes, "definitions", 0, 0, 2);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_VERDEF", "records of version 1", "version 0"));
}

TEST(ElfVersions, RecordsOutsideTheFile) {
  Image image;
  image.needs_version("libc.so.6", "V", 2).defines_version("W", 3);
  for (const auto& [part, table, field] : {std::tuple{"needs", "DT_VERNEED", offsetof(Elf64_Verneed, vn_aux)},
                                           std::tuple{"needs", "DT_VERNEED", offsetof(Elf64_Verneed, vn_next)},
                                           std::tuple{"definitions", "DT_VERDEF", offsetof(Elf64_Verdef, vd_aux)},
                                           std::tuple{"definitions", "DT_VERDEF", offsetof(Elf64_Verdef, vd_next)}}) {
    std::vector<std::byte> bytes = image.build();
    image.patch(bytes, part, field, 0x7fffffff, 4);
    EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, table, "an address in the file", HasSubstr("0x8")));
  }
}

TEST(ElfVersions, AHalfRecordAtTheEnd) {
  Image image;
  image.needs_version("libc.so.6", "V", 2);
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "needs", offsetof(Elf64_Verneed, vn_next), bytes.size() - image.offset_of("needs") - 4, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_VERNEED", "whole records", HasSubstr("half of one at 0x")));
}

TEST(ElfVersions, IndexesOutsideTheFile) {
  Image image;
  image.needs_version("libc.so.6", "V", 2).import({.name = "used", .version = 2});
  image.more_dynamic = {{DT_VERSYM, 0x10}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "DT_VERSYM", "an address in the file", "0x10"));
  image.more_dynamic = {{DT_VERSYM, Image::kBase + image.build().size() - 2}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "DT_VERSYM", "0x4 bytes", HasSubstr("0x")));
}

// Records that share their parts: a thousand needs that each own the same thousand versions would be a million.
TEST(ElfVersions, SharedRecordsAreBounded) {
  Image image;
  for (int i = 0; i < 1000; ++i) image.needs_version("f", "v", 2);
  std::vector<std::byte> bytes = image.build();
  constexpr std::uint64_t kStep = sizeof(Elf64_Verneed) + sizeof(Elf64_Vernaux);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    image.patch(bytes, "needs", i * kStep + offsetof(Elf64_Verneed, vn_aux),
                (1000 - i - 1) * kStep + sizeof(Elf64_Verneed), 4);
    // The last version is that of the last need; each follows the one of the need before.
    if (i + 1 < 1000) {
      image.patch(bytes, "needs", i * kStep + sizeof(Elf64_Verneed) + offsetof(Elf64_Vernaux, vna_next), kStep, 4);
    }
  }
  EXPECT_TRUE(parse(bytes)) << "all of them start at the last version";
  for (std::uint64_t i = 0; i < 1000; ++i) {
    image.patch(bytes, "needs", i * kStep + offsetof(Elf64_Verneed, vn_aux), sizeof(Elf64_Verneed), 4);
  }
  EXPECT_THAT(parse(bytes),
              fails_with(Code::kDamaged, testing::AnyOf("DT_VERNEED", "string table"), testing::_, testing::_));
}

}  // namespace
}  // namespace myops::elf
