#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

TEST(ElfSymbols, ImportsAreWhatARelocationUses) {
  Image image;
  image.import({.name = "used"})
      .import({.name = "mentioned", .relocated = false})
      .import({.name = "weak", .binding = STB_WEAK});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_THAT(names_of(facts->imports), ElementsAre("used", "weak"));
  EXPECT_FALSE(facts->imports[0].weak());
  EXPECT_TRUE(facts->imports[1].weak());
  EXPECT_EQ(facts->imports[0].type, STT_FUNC);
  EXPECT_THAT(facts->exports, IsEmpty());
}

// The linker binds these within the file: it looks nothing up.
TEST(ElfSymbols, LocalAndHiddenReferencesAreNoImports) {
  Image image;
  image.import({.name = "local", .binding = STB_LOCAL})
      .import({.name = "hidden", .visibility = STV_HIDDEN})
      .import({.name = "internal", .visibility = STV_INTERNAL})
      .import({.name = "protected", .visibility = STV_PROTECTED});
  EXPECT_THAT(names_of(parse(image.build())->imports), ElementsAre("protected"));
}

TEST(ElfSymbols, ImportsFromEveryTable) {
  for (const bool rela : {true, false}) {
    Image image;
    image.rela = rela;
    image.relative_count = 100;
    image.import({.name = "data"}).import({.name = "function", .relocated = false});
    image.build();
    // DT_JMPREL over the bytes of the relocation of "data", with its symbol changed to that of "function": symbol 2.
    const std::uint64_t entry = rela ? 24 : 16;
    image.more_dynamic = {{DT_JMPREL, image.address_of("relocations") + 99 * entry},
                          {DT_PLTRELSZ, entry},
                          {DT_PLTREL, rela ? DT_RELA : DT_REL}};
    std::vector<std::byte> bytes = image.build();
    image.patch(bytes, "relocations", 99 * entry + 8, std::uint64_t{2} << 32 | R_X86_64_JUMP_SLOT, 8);
    EXPECT_THAT(names_of(parse(bytes)->imports), ElementsAre("data", "function"));
  }
}

// DT_RELACOUNT says that no symbol is used by the first so many: they are not read at all.
TEST(ElfSymbols, RelativeRelocationsAreSkipped) {
  Image image;
  image.relative_count = 3;
  image.import({.name = "used"});
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "relocations", 8, std::uint64_t{999} << 32 | R_X86_64_64, 8);
  EXPECT_THAT(names_of(parse(bytes)->imports), ElementsAre("used"));
  image.more_dynamic = {{DT_RELACOUNT, 0xffffffffffff}};
  EXPECT_THAT(names_of(parse(image.build())->imports), IsEmpty());
}

TEST(ElfSymbols, RelocationsThatDoNothingUseNothing) {
  Image image;
  image.import({.name = "unused"});
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "relocations", 8, std::uint64_t{1} << 32 | R_X86_64_NONE, 8);
  EXPECT_THAT(parse(bytes)->imports, IsEmpty());
}

TEST(ElfSymbols, RelocationsOutsideTheSymbolTable) {
  Image image;
  image.import({.name = "used"});
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "relocations", 12, 0x7fffffff, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "DT_RELA", "a symbol of the symbol table", "symbol 2147483647"));
}

TEST(ElfSymbols, RelocationsOutsideTheFile) {
  Image image;
  image.import({.name = "used"});
  image.more_dynamic = {{DT_RELA, 0x10}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "DT_RELA", "an address in the file", "0x10"));
  image.more_dynamic = {{DT_RELASZ, 0x1000000}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "DT_RELA", StartsWith("at most 0x"), "0x1000000"));
}

TEST(ElfSymbols, ExportsAreWhatALookUpFinds) {
  Image image;
  image.define({.name = "function"})
      .define({.name = "weak", .binding = STB_WEAK})
      .define({.name = "unique", .type = STT_OBJECT, .binding = STB_GNU_UNIQUE})
      .define({.name = "resolver", .type = STT_GNU_IFUNC})
      .define({.name = "thread_local", .type = STT_TLS, .value = 0})
      .define({.name = "absolute", .value = 0, .section = SHN_ABS})
      .define({.name = "protected", .visibility = STV_PROTECTED})
      .define({.name = "local", .binding = STB_LOCAL})
      .define({.name = "hidden", .visibility = STV_HIDDEN})
      .define({.name = "internal", .visibility = STV_INTERNAL})
      .define({.name = "no_value", .value = 0})
      .define({.name = "undefined", .section = SHN_UNDEF})
      .define({.name = "section", .type = STT_SECTION})
      .define({.name = "file", .type = STT_FILE});
  for (const Image::Hash hash : {Image::Hash::kGnu, Image::Hash::kSysv, Image::Hash::kBoth}) {
    image.hash = hash;
    const auto facts = parse(image.build());
    ASSERT_TRUE(facts);
    EXPECT_THAT(names_of(facts->exports), UnorderedElementsAre("function", "weak", "unique", "resolver", "thread_local",
                                                               "absolute", "protected"));
    EXPECT_EQ(facts->export_index.size(), 7U);
  }
}

TEST(ElfSymbols, WithoutAHashTableNothingIsFound) {
  Image image;
  image.hash = Image::Hash::kNone;
  image.define({.name = "function"}).import({.name = "used"});
  const auto facts = parse(image.build());
  EXPECT_THAT(facts->exports, IsEmpty());
  EXPECT_THAT(names_of(facts->imports), ElementsAre("used"));
}

TEST(ElfSymbols, NamesOutsideTheStringTable) {
  Image image;
  image.define({.name = "function"});
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "symbols", sizeof(Elf64_Sym), 0xffffff, 4);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, "string table", StartsWith("an offset below 0x"), "0xffffff"));
}

TEST(ElfSymbols, TableOutsideTheFile) {
  Image image;
  image.more_dynamic = {{DT_SYMTAB, 0x10}};
  EXPECT_THAT(parse(image.build()), fails_with(Code::kDamaged, "symbol table", "an address in the file", "0x10"));
}

// A thousand symbols that share one long name must not cost a thousand times its length.
TEST(ElfSymbols, NamesThatOverlap) {
  Image image;
  for (int i = 0; i < 1000; ++i) image.define({.name = "s"});
  image.named(DT_AUXILIARY, std::string(100000, 'n'));
  std::vector<std::byte> bytes = image.build();
  for (std::uint64_t i = 1; i <= 1000; ++i) image.patch(bytes, "symbols", i * sizeof(Elf64_Sym), i, 4);
  EXPECT_THAT(parse(bytes),
              fails_with(Code::kDamaged, "string table", "names of at most 8 times its size", HasSubstr("0x")));
}

TEST(ElfSymbols, ViewsOutliveCopiesOfTheFacts) {
  Image image;
  image.define({.name = "function_with_a_long_name_that_no_small_string_holds"});
  std::vector<Symbol> exports;
  ElfFacts copy;
  {
    const auto facts = parse(image.build());
    copy = *facts;
  }
  EXPECT_EQ(copy.exports[0].name, "function_with_a_long_name_that_no_small_string_holds");
  EXPECT_THAT(copy.export_index.find(ExportIndex::hash(copy.exports[0].name)), ElementsAre(0U));
}

TEST(ElfSymbols, EveryClassAndByteOrder) {
  for (const int bits : {32, 64}) {
    for (const bool little : {true, false}) {
      Image image;
      image.bits = bits;
      image.little_endian = little;
      image.machine = EM_PPC64;
      image.relative_count = 2;
      image.import({.name = "wanted", .version = 2}).define({.name = "given", .version = 0x8003});
      image.needs_version("libc.so.6", "GLIBC_2.17", 2).defines_version("V1", 3);
      const auto facts = parse(image.build());
      ASSERT_TRUE(facts);
      ASSERT_FALSE(facts->fault) << to_text(*facts->fault);
      ASSERT_THAT(names_of(facts->imports), ElementsAre("wanted"));
      EXPECT_EQ(facts->imports[0].version, "GLIBC_2.17");
      ASSERT_THAT(names_of(facts->exports), ElementsAre("given"));
      EXPECT_EQ(facts->exports[0].version, "V1");
      EXPECT_TRUE(facts->exports[0].hidden_version);
    }
  }
}

}  // namespace
}  // namespace myops::elf
