#include "loader/system/variables.h"

#include <gmock/gmock.h>

#include "tests/loader/system/scoped_variable.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScopedVariable;

TEST(Variables, TellsUnsetFromEmpty) {
  const ScopedVariable set("MYOPS_TEST_VARIABLE", "value");
  EXPECT_EQ(variable("MYOPS_TEST_VARIABLE"), "value");
  const ScopedVariable empty("MYOPS_TEST_VARIABLE", "");
  EXPECT_EQ(variable("MYOPS_TEST_VARIABLE"), "");
  const ScopedVariable unset("MYOPS_TEST_VARIABLE", std::nullopt);
  EXPECT_EQ(variable("MYOPS_TEST_VARIABLE"), std::nullopt);
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("/a::/b:", ':'), ElementsAre("/a", "", "/b", ""));
  EXPECT_THAT(split(":", ':'), ElementsAre("", ""));
  EXPECT_THAT(split("one", ':'), ElementsAre("one"));
  EXPECT_THAT(split("", ':'), IsEmpty());
}

TEST(SplitNames, DropsBlanksAndEmptyParts) {
  EXPECT_THAT(split_names(" CPU , Autograd,,\t", ','), ElementsAre("CPU", "Autograd"));
  EXPECT_THAT(split_names("", ','), IsEmpty());
}

}  // namespace
}  // namespace myops::system
