#include "loader/rules/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace myops::rules {
namespace {

TEST(Glob, MatchesTheWholeText) {
  EXPECT_TRUE(glob_matches("myops_cpu", "myops_cpu"));
  EXPECT_FALSE(glob_matches("myops", "myops_cpu"));
  EXPECT_FALSE(glob_matches("cpu", "myops_cpu"));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_FALSE(glob_matches("a", ""));
}

TEST(Glob, LetsAStarStandForAnyRun) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("myops_*", "myops_cpu"));
  EXPECT_TRUE(glob_matches("*cpu*", "libmyops_cpu.so"));
  EXPECT_TRUE(glob_matches("*_v?.so", "libmyops_cpu_v3_v4.so"));
  EXPECT_TRUE(glob_matches("a**b", "ab"));
  EXPECT_FALSE(glob_matches("*cuda*", "libmyops_cpu.so"));
  EXPECT_FALSE(glob_matches("a*b", "a"));
}

TEST(Glob, LetsAQuestionMarkStandForOneCharacter) {
  EXPECT_TRUE(glob_matches("v?", "v3"));
  EXPECT_FALSE(glob_matches("v?", "v"));
  EXPECT_FALSE(glob_matches("v?", "v34"));
}

TEST(Glob, TakesAllElseAsItIs) {
  EXPECT_TRUE(glob_matches("a[b]", "a[b]"));
  EXPECT_FALSE(glob_matches("a[b]", "ab"));
  EXPECT_FALSE(glob_matches("a.b", "axb"));
}

TEST(Glob, EndsSoonOnAHostilePattern) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(10000, 'a')));
}

}  // namespace
}  // namespace myops::rules
