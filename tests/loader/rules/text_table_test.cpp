#include "loader/rules/text_table.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(TextTable, AlignsColumnsAndIndentsDetails) {
  EXPECT_EQ(table({{{"usable", "myops_cpu", "/p"}, {}}, {{"rejected", "x", "/longer"}, {"why: because", "note: too"}}}),
            "  usable    myops_cpu  /p\n"
            "  rejected  x          /longer\n"
            "        why: because\n"
            "        note: too\n");
}

TEST(TextTable, LeavesOutColumnsThatAreEmptyInAllRows) {
  EXPECT_EQ(table({{{"a", "", "b"}, {}}, {{"c", "", "d"}, {}}}), "  a  b\n  c  d\n");
}

TEST(TextTable, KeepsPlacesForCellsThatAreEmptyInSome) {
  EXPECT_EQ(table({{{"a", "", "b"}, {}}, {{"c", "x", ""}, {}}}), "  a     b\n  c  x\n");
}

TEST(TextTable, CountsCharactersAndNotBytes) {
  EXPECT_EQ(table({{{"\xC3\xA4", "1"}, {}}, {{"bb", "2"}, {}}}), "  \xC3\xA4   1\n  bb  2\n");
}

TEST(TextTable, IsEmptyWithoutRows) { EXPECT_EQ(table({}), ""); }

}  // namespace
}  // namespace myops::rules
