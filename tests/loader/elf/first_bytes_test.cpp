#include "loader/elf/first_bytes.h"

#include <gtest/gtest.h>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

struct Case {
  std::string name;
  std::string content;
  std::string found;
};

class FirstBytes : public testing::TestWithParam<Case> {};

TEST_P(FirstBytes, SayWhatTheFileIs) {
  EXPECT_THAT(parse(GetParam().content), fails_with(Code::kNotALibrary, "", "an ELF shared object", GetParam().found));
}

INSTANTIATE_TEST_SUITE_P(
    ElfFiles, FirstBytes,
    testing::Values(
        Case{"Empty", "", "an empty file"},  //
        Case{"SymbolicLinkAsText", "libmyops_cpu.so.1", "text: libmyops_cpu.so.1"},
        Case{"Readme", "\n\n# myops\nOperators.\n", "text: # myops"},
        Case{"OtherAlphabets", "\xc3\xa4 and more\n", "text: \xc3\xa4 and more"},
        Case{"LinkerScript", "/* GNU ld script\n of two lines */\nGROUP ( libx.so.1 AS_NEEDED ( liby.a ) )\n",
             "a linker script: GROUP ( libx.so.1 AS_NEEDED ( liby.a ) )"},
        Case{"InputWithoutParenthesis", "INPUT of the function\n", "text: INPUT of the function"},
        Case{"Script", "#!/bin/sh\nexit 0\n", "a script"},  //
        Case{"Archive", "!<arch>\nx.o/", "a static archive"},
        Case{"ThinArchive", "!<thin>\n/", "a thin static archive"},
        Case{"LfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n",
             "a Git LFS pointer: the real file was not fetched"},
        Case{"MachO", std::string("\xcf\xfa\xed\xfe\x07\0\0\x01", 8), "a Mach-O file (macOS)"},
        Case{"UniversalMachO", std::string("\xca\xfe\xba\xbe\0\0\0\x02", 8), "a universal Mach-O file (macOS)"},
        Case{"Pe", std::string("MZ\x90\0\x03\0\0\0", 8), "a PE file (Windows)"},
        Case{"Wheel", std::string("PK\x03\x04\x14\0", 6), "a zip archive or wheel"},
        Case{"Gzip", std::string("\x1f\x8b\x08\0", 4), "a gzip file"},
        Case{"Zeros", std::string(5000, '\0'), "zero bytes only (an unfinished copy?)"},
        Case{"OneZero", std::string(1, '\0'), "zero bytes only (an unfinished copy?)"},
        Case{"Data", std::string("\x01\x02\xfe\xff\x05", 5), "data that starts with 01 02 fe ff"},
        Case{"AlmostElf",
             std::string("\x7f"
                         "ELG\x02\x01\x01",
                         7),
             "data that starts with 7f 45 4c 47"},
        Case{"StartOfTheMagic",
             "\x7f"
             "EL",
             "data that starts with 7f 45 4c"}),
    [](const auto& test) { return test.param.name; });

TEST(ElfFirstBytes, LongLinesAreCut) {
  const std::string line(200, 'x');
  EXPECT_THAT(parse(line), fails_with(Code::kNotALibrary, "", "an ELF shared object", "text: " + std::string(60, 'x')));
}

}  // namespace
}  // namespace myops::elf
