#include "loader/rules/listing.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(Listing, JoinsAll) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined({"a", "b"}, "; "), "a; b");
}

TEST(Listing, NamesFiveAndCountsTheRest) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f"}), "a, b, c, d, e and 1 more");
  EXPECT_EQ(listed(std::vector<std::string>(40, "x")), "x, x, x, x, x and 35 more");
}

}  // namespace
}  // namespace myops::rules
