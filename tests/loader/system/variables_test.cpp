#include "loader/system/variables.h"

#include <gmock/gmock.h>

#include "tests/loader/system/scoped_variable.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::ScopedVariable;

TEST(Variables, TellsUnsetFromEmpty) {
  const ScopedVariable set("MYOPS_LOG", "value");
  EXPECT_EQ(variable("MYOPS_LOG"), "value");
  const ScopedVariable empty("MYOPS_LOG", "");
  EXPECT_EQ(variable("MYOPS_LOG"), "");
  const ScopedVariable unset("MYOPS_LOG", std::nullopt);
  EXPECT_EQ(variable("MYOPS_LOG"), std::nullopt);
}

TEST(Variables, ThoseThatAreSetAreListed) {
  const ScopedVariable set("ATEN_CPU_CAPABILITY", "avx2");
  EXPECT_THAT(set_variables(), Contains(Pair("ATEN_CPU_CAPABILITY", "avx2")));
  const ScopedVariable unset("ATEN_CPU_CAPABILITY", std::nullopt);
  EXPECT_THAT(set_variables(), Not(Contains(Pair("ATEN_CPU_CAPABILITY", ::testing::_))));
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
