#include "loader/check_family.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace myops {
namespace {

using ::testing::ElementsAre;

TEST(CheckFamily, EachCodeIsInExactlyOne) {
  for (const Code code : all_codes()) {
    std::vector<std::string_view> found;
    for (const CheckFamily& family : check_families()) {
      for (const Code member : family.codes) {
        if (member == code) found.push_back(family.token);
      }
    }
    EXPECT_THAT(found, ElementsAre(family_of(code).token)) << token(code);
  }
}

TEST(CheckFamily, CodesStandInTheOrderOfTheList) {
  for (const CheckFamily& family : check_families()) {
    EXPECT_TRUE(std::ranges::is_sorted(family.codes)) << family.token;
    EXPECT_FALSE(family.codes.empty()) << family.token;
  }
}

TEST(CheckFamily, NamesAreUniqueAndQuestionsAreSentences) {
  std::set<std::string_view> tokens;
  for (const CheckFamily& family : check_families()) {
    EXPECT_TRUE(tokens.insert(family.token).second) << family.token;
    EXPECT_TRUE(family.question.ends_with("?")) << family.token;
  }
}

TEST(CheckFamily, FollowsTheFileThatMakesTheReason) {
  EXPECT_EQ(family_of(Code::kWrongArchitecture).token, "identity");
  EXPECT_EQ(family_of(Code::kTorchIsRocm).token, "cuda");
  EXPECT_EQ(family_of(Code::kHashMismatch).token, "trust");
  EXPECT_EQ(family_of(Code::kMixedRelease).token, "set");
  EXPECT_EQ(family_of(Code::kOpenFailed).token, "load");
}

}  // namespace
}  // namespace myops
