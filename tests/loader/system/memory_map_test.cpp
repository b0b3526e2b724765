#include "loader/system/memory_map.h"

#include <gmock/gmock.h>

namespace myops::system {
namespace {

// Of /proc/self/maps; the last line of a file that an upgrade unlinked.
constexpr const char* kText =
    "555500000000-555500001000 r--p 00000000 fe:00 12                         /usr/bin/program\n"
    "7f0000000000-7f0000001000 r-xp 00001000 fe:00 34 /a b/lib.so\n"
    "7f0000001000-7f0000002000 rw-p 00000000 00:00 0 \n"
    "7ffe00000000-7ffe00001000 rw-p 00000000 00:00 0                          [stack]\n"
    "no line of this form\n"
    "7f0000003000-7f0000004000 r--p 00000000 fe:00 56                         /a/old.so (deleted)\n";

TEST(MemoryMap, HasTheFilesAlone) {
  const auto mappings = parse_memory_map(kText);
  ASSERT_EQ(mappings.size(), 3u);
  EXPECT_EQ(mappings[0].path, "/usr/bin/program");
  EXPECT_EQ(mappings[0].start, 0x555500000000u);
  EXPECT_EQ(mappings[0].end, 0x555500001000u);
  EXPECT_EQ(mappings[0].inode, 12u);
  EXPECT_EQ(mappings[1].path, "/a b/lib.so");
  EXPECT_EQ(mappings[2].path, "/a/old.so (deleted)");
}

TEST(MemoryMap, IsAskedByAddress) {
  const auto mappings = parse_memory_map(kText);
  ASSERT_NE(mapping_at(mappings, 0x7f0000000fff), nullptr);
  EXPECT_EQ(mapping_at(mappings, 0x7f0000000fff)->inode, 34u);
  EXPECT_EQ(mapping_at(mappings, 0x7f0000001000), nullptr);
}

TEST(MemoryMap, PassesOverWhatIsCut) {
  for (const char* text : {"", "\n", "7f00", "7f00-", "7f00-7f10", "7f00-7f10 r--p", "7f00-7f10 r--p 0 fe:00 ", "-"}) {
    EXPECT_TRUE(parse_memory_map(text).empty()) << text;
  }
}

}  // namespace
}  // namespace myops::system
