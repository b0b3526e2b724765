#include "loader/rules/bracketed_text.h"

#include <gmock/gmock.h>

namespace myops::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BracketedText, SplitsAtCommasOutsideOfBracketsAndQuotes) {
  EXPECT_THAT(split_outside("a, b<c, d>, (e, f), [g, h]"), ElementsAre("a", "b<c, d>", "(e, f)", "[g, h]"));
  EXPECT_THAT(split_outside("str s='a, b', int x"), ElementsAre("str s='a, b'", "int x"));
  EXPECT_THAT(split_outside("s='it\\'s, so', t=\"x, y\""), ElementsAre("s='it\\'s, so'", "t=\"x, y\""));
  EXPECT_THAT(split_outside("Tensor(a -> *) self, int x"), ElementsAre("Tensor(a -> *) self", "int x"));
  EXPECT_THAT(split_outside(""), IsEmpty());
  EXPECT_THAT(split_outside("  "), IsEmpty());
  EXPECT_THAT(split_outside("a,"), ElementsAre("a"));
}

TEST(BracketedText, FindsWhatABracketHolds) {
  EXPECT_EQ(inside("f(a(b), c) -> d", 1, ')'), "a(b), c");
  EXPECT_EQ(inside("x<y<z>, w>", 1, '>'), "y<z>, w");
  EXPECT_EQ(inside("()", 0, ')'), "");
  EXPECT_EQ(inside("f(a", 1, ')'), std::nullopt);
}

TEST(BracketedText, Trims) {
  EXPECT_EQ(trimmed("  a b "), "a b");
  EXPECT_EQ(trimmed("   "), "");
}

}  // namespace
}  // namespace myops::rules
