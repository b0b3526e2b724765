#include "loader/rules/version.h"

#include <gmock/gmock.h>

#include "loader/rules/world.h"

namespace myops::rules {
namespace {

using ::testing::ElementsAre;

TEST(Version, TakesNumbersAndSuffixApart) {
  const auto release = parse_version("2.15.0");
  ASSERT_TRUE(release);
  EXPECT_THAT(release->numbers, ElementsAre(2, 15, 0));
  EXPECT_EQ(release->minor_text(), "2.15");
  EXPECT_EQ(release->suffix, "");

  const auto nightly = parse_version("2.16.0.dev20260101+cu132");
  ASSERT_TRUE(nightly);
  EXPECT_THAT(nightly->numbers, ElementsAre(2, 16, 0));
  EXPECT_EQ(nightly->suffix, ".dev20260101");

  EXPECT_THAT(parse_version("580.65.06")->numbers, ElementsAre(580, 65, 6));
  EXPECT_EQ(parse_version("13")->minor_text(), "13.0");
}

TEST(Version, RefusesWhatIsNone) {
  for (const char* text : {"", "x", ".5", "v2.15", "-1", " 2", "1234567890", "2.1234567890"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(Version, KnowsDevelopmentBuildsFromReleases) {
  for (const char* text : {"2.16.0a0", "2.16.0a0+git1a2b3c", "2.16.0.dev20260101", "2.15.0rc1", "2.16.0b2"}) {
    EXPECT_TRUE(parse_version(text)->is_development()) << text;
  }
  for (const char* text : {"2.15.0", "2.15", "2.15.0+cu132", "2.11.0.post1"}) {
    EXPECT_FALSE(parse_version(text)->is_development()) << text;
  }
}

TEST(Version, ComparesNumberByNumber) {
  const auto older = [](const char* one, const char* other) {
    return is_older(*parse_version(one), *parse_version(other));
  };
  EXPECT_TRUE(older("2.9.1", "2.11"));
  EXPECT_FALSE(older("2.11.0", "2.11"));
  EXPECT_FALSE(older("2.11", "2.11"));
  EXPECT_TRUE(older("450.80.01", "450.80.02"));
  EXPECT_TRUE(older("579.99.99", "580"));
  EXPECT_FALSE(older("580.65.06", "580"));
  EXPECT_FALSE(older("1000", "999.9"));
}

TEST(TorchFacts, TellsItsMinorVersion) {
  TorchFacts torch;
  EXPECT_EQ(torch.minor(), "");
  torch.version = "2.15.0";
  EXPECT_EQ(torch.minor(), "2.15");
  torch.version = "2.16.0a0+git1a2b";
  EXPECT_EQ(torch.minor(), "2.16");
  torch.version = "unknown";
  EXPECT_EQ(torch.minor(), "");
}

}  // namespace
}  // namespace myops::rules
