#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kTypeOffset = offsetof(Elf64_Ehdr, e_type);
constexpr std::uint64_t kMachineOffset = offsetof(Elf64_Ehdr, e_machine);

TEST(ElfHeader, SaysForWhatTheFileIs) {
  Image image;
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->bits, 64);
  EXPECT_TRUE(facts->little_endian);
  EXPECT_EQ(facts->type, ET_DYN);
  EXPECT_EQ(facts->machine, EM_X86_64);
  EXPECT_EQ(facts->os_abi, ELFOSABI_SYSV);
  EXPECT_FALSE(facts->fault);
  EXPECT_FALSE(facts->section_headers_cut);
  EXPECT_FALSE(refusal(*facts));
}

TEST(ElfHeader, IsTruncatedAtEveryLength) {
  const std::vector<std::byte> bytes = Image().build();
  for (std::size_t length = SELFMAG; length < sizeof(Elf64_Ehdr); ++length) {
    const std::string needed = length < EI_NIDENT ? "at least 52 bytes" : "at least 64 bytes";
    EXPECT_THAT(parse(std::span(bytes).first(length)),
                fails_with(Code::kTruncated, "ELF header", needed, std::to_string(length) + " bytes"));
  }
}

struct Damage {
  std::string name;
  std::uint64_t offset;
  std::uint64_t value;
  std::size_t size;
  std::string subject, expected, found;
};

class DamagedHeader : public testing::TestWithParam<Damage> {};

TEST_P(DamagedHeader, IsRefused) {
  Image image;
  std::vector<std::byte> bytes = image.build();
  const Damage& damage = GetParam();
  image.patch(bytes, "header", damage.offset, damage.value, damage.size);
  EXPECT_THAT(parse(bytes), fails_with(Code::kDamaged, damage.subject, damage.expected, damage.found));
}

INSTANTIATE_TEST_SUITE_P(
    ElfFiles, DamagedHeader,
    testing::Values(
        Damage{"NoClass", EI_CLASS, 0, 1, "ELF class", "1 or 2", "0"},
        Damage{"UnknownClass", EI_CLASS, 3, 1, "ELF class", "1 or 2", "3"},
        Damage{"NoByteOrder", EI_DATA, 0, 1, "ELF byte order", "1 or 2", "0"},
        Damage{"IdentVersion", EI_VERSION, 0, 1, "ELF header", "version 1", "another version"},
        Damage{"Version", offsetof(Elf64_Ehdr, e_version), 2, 4, "ELF header", "version 1", "another version"},
        Damage{"Padding", EI_PAD + 3, 1, 1, "ELF header", "zeros in the padding of e_ident", "other bytes"},
        Damage{"AbiVersion", EI_ABIVERSION, 1, 1, "ELF header", "zeros in the padding of e_ident", "other bytes"},
        Damage{"SegmentSize", offsetof(Elf64_Ehdr, e_phentsize), 32, 2, "ELF header", "program headers of 56 bytes",
               "32 bytes"},
        Damage{"NoSegments", offsetof(Elf64_Ehdr, e_phnum), 0, 2, "program headers", "a loadable segment", "none"}),
    [](const auto& test) { return test.param.name; });

TEST(ElfHeader, TypesThatAreNoLibrary) {
  Image image;
  std::vector<std::byte> bytes = image.build();
  const std::pair<std::uint16_t, std::string> types[] = {{ET_REL, "an ELF object file (.o)"},
                                                         {ET_CORE, "a core dump"},
                                                         {ET_NONE, "an ELF file of no type"},
                                                         {0xfe01, "ELF type 0xfe01"}};
  for (const auto& [type, found] : types) {
    image.patch(bytes, "header", kTypeOffset, type, 2);
    EXPECT_THAT(parse(bytes), fails_with(Code::kNotALibrary, "", "an ELF shared object", found));
  }
}

TEST(ElfHeader, ExecutablesAreReadAndRefusedForOpening) {
  Image image;
  image.type = ET_EXEC;
  image.define({.name = "PyList_New"});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_THAT(names_of(facts->exports), testing::ElementsAre("PyList_New"));
  const auto reason = refusal(*facts);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->code, Code::kNotALibrary);
  EXPECT_EQ(reason->expected, "an ELF shared object");
  EXPECT_EQ(reason->found, "an executable");
}

TEST(ElfHeader, PositionIndependentExecutablesToo) {
  Image image;
  image.more_dynamic = {{DT_FLAGS_1, DF_1_PIE}};
  image.define({.name = "PyList_New"});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->pie_executable);
  EXPECT_THAT(names_of(facts->exports), testing::ElementsAre("PyList_New"));
  ASSERT_TRUE(refusal(*facts));
  EXPECT_EQ(refusal(*facts)->code, Code::kNotALibrary);
  EXPECT_EQ(refusal(*facts)->found, "a position-independent executable");
}

TEST(ElfHeader, StaticExecutablesHaveNoDynamicSection) {
  Image image;
  image.type = ET_EXEC;
  image.with_dynamic = false;
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->needed, IsEmpty());
  EXPECT_EQ(refusal(*facts)->found, "an executable");
}

TEST(ElfHeader, OtherSystemsAreRefused) {
  Image image;
  image.os_abi = ELFOSABI_FREEBSD;
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  const auto reason = refusal(*facts);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->code, Code::kWrongArchitecture);
  EXPECT_EQ(reason->expected, "OS ABI 0 (System V) or 3 (GNU)");
  EXPECT_EQ(reason->found, "OS ABI 9");
  image.os_abi = ELFOSABI_GNU;
  EXPECT_FALSE(refusal(*parse(image.build())));
}

TEST(ElfHeader, OtherMachinesAreReadAsFarAsTheyGo) {
  Image image;
  image.bits = 32;
  image.little_endian = false;
  image.machine = EM_S390;
  image.rela = false;
  image.soname("libx.so").needed("libc.so.6").import({.name = "wanted"}).define({.name = "given"});
  const auto facts = parse(image.build());
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->fault);
  EXPECT_EQ(machine_name(facts->machine, facts->bits, facts->little_endian), "s390x, 32-bit");
  EXPECT_EQ(facts->soname, "libx.so");
  EXPECT_THAT(facts->needed, testing::ElementsAre("libc.so.6"));
  EXPECT_THAT(names_of(facts->imports), testing::ElementsAre("wanted"));
  EXPECT_THAT(names_of(facts->exports), testing::ElementsAre("given"));
}

// Case: copies of a library with class, byte order or machine changed.
TEST(ElfHeader, ChangedCopiesKeepTheirIdentity) {
  Image image;
  image.soname("libx.so");
  const std::vector<std::byte> original = image.build();
  const auto changed = [&](std::uint64_t offset, std::uint64_t value, std::size_t size) {
    std::vector<std::byte> bytes = original;
    image.patch(bytes, "header", offset, value, size);
    return parse(bytes);
  };
  const auto aarch64 = changed(kMachineOffset, EM_AARCH64, 2);
  ASSERT_TRUE(aarch64);
  EXPECT_EQ(machine_name(aarch64->machine, aarch64->bits, aarch64->little_endian), "aarch64");
  EXPECT_EQ(aarch64->soname, "libx.so");
  EXPECT_FALSE(aarch64->fault);

  const auto narrow = changed(EI_CLASS, ELFCLASS32, 1);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(machine_name(narrow->machine, narrow->bits, narrow->little_endian), "x86_64, 32-bit");
  ASSERT_TRUE(narrow->fault);
  EXPECT_EQ(narrow->fault->code, Code::kDamaged);
  EXPECT_EQ(narrow->fault->subject, "ELF header");

  const auto big = changed(EI_DATA, ELFDATA2MSB, 1);
  ASSERT_TRUE(big);
  EXPECT_FALSE(big->little_endian);
  EXPECT_EQ(machine_name(big->machine, big->bits, big->little_endian), "machine 0x3e00, big-endian");
  ASSERT_TRUE(big->fault);
}

TEST(ElfHeader, CutSectionHeadersAreAFactAndNoError) {
  Image image;
  std::vector<std::byte> bytes = image.build();
  image.patch(bytes, "header", offsetof(Elf64_Ehdr, e_shoff), bytes.size() - 64, 8);
  image.patch(bytes, "header", offsetof(Elf64_Ehdr, e_shnum), 1, 2);
  EXPECT_FALSE(parse(bytes)->section_headers_cut);
  image.patch(bytes, "header", offsetof(Elf64_Ehdr, e_shnum), 2, 2);
  ASSERT_TRUE(parse(bytes)->section_headers_cut);
  EXPECT_EQ(parse(bytes)->section_headers_cut->code, Code::kTruncated);
}

TEST(ElfNames, Machines) {
  EXPECT_EQ(machine_name(EM_X86_64, 64, true), "x86_64");
  EXPECT_EQ(machine_name(EM_386, 32, true), "i386");
  EXPECT_EQ(machine_name(EM_AARCH64, 64, true), "aarch64");
  EXPECT_EQ(machine_name(EM_AARCH64, 64, false), "aarch64, big-endian");
  EXPECT_EQ(machine_name(EM_PPC64, 64, true), "ppc64le");
  EXPECT_EQ(machine_name(EM_PPC64, 64, false), "ppc64");
  EXPECT_EQ(machine_name(EM_RISCV, 32, true), "riscv32");
  EXPECT_EQ(machine_name(EM_ARM, 32, true), "arm");
  EXPECT_EQ(machine_name(0x1234, 64, true), "machine 0x1234");
}

TEST(ElfNames, IsaLevels) {
  EXPECT_EQ(isa_level_name(0), "");
  EXPECT_EQ(isa_level_name(1), "");
  EXPECT_EQ(isa_level_name(2), "x86-64-v2");
  EXPECT_EQ(isa_level_name(1 | 2 | 4), "x86-64-v3");
  EXPECT_EQ(isa_level_name(8), "x86-64-v4");
}

}  // namespace
}  // namespace myops::elf
