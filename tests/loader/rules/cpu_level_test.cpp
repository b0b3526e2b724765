#include "loader/rules/cpu_level.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(CpuLevel, RanksThePsabiLevelsAndNothingElse) {
  EXPECT_EQ(level_rank("x86-64"), 1);
  EXPECT_EQ(level_rank("x86-64-v2"), 2);
  EXPECT_EQ(level_rank("x86-64-v3"), 3);
  EXPECT_EQ(level_rank("x86-64-v4"), 4);
  for (const char* level : {"", "x86-64-v1", "x86-64-v5", "x86_64", "avx512f", "X86-64", "x86-64-v4 "}) {
    EXPECT_FALSE(level_rank(level)) << level;
  }
}

TEST(CpuLevel, TakesTheWiderOfTwo) {
  EXPECT_EQ(wider_level("x86-64", "x86-64-v4"), "x86-64-v4");
  EXPECT_EQ(wider_level("x86-64-v3", "x86-64-v2"), "x86-64-v3");
  EXPECT_EQ(wider_level("", "x86-64-v2"), "x86-64-v2");
  EXPECT_EQ(wider_level("x86-64-v2", ""), "x86-64-v2");
  EXPECT_EQ(wider_level("x86-64-v9", "x86-64-v2"), "x86-64-v2");
  EXPECT_EQ(wider_level("", ""), "");
}

TEST(CpuLevel, KnowsTorchsOwnNames) {
  EXPECT_EQ(level_of_capability("default"), "x86-64");
  EXPECT_EQ(level_of_capability("avx2"), "x86-64-v3");
  EXPECT_EQ(level_of_capability("avx512"), "x86-64-v4");
  for (const char* ignored : {"", "AVX2", "avx512_vnni", "avx2 ", "x86-64-v3"}) {
    EXPECT_EQ(level_of_capability(ignored), "") << ignored;
  }
}

}  // namespace
}  // namespace myops::rules
