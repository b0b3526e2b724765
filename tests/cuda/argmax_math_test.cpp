#include "backend_cuda/argmax_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace myops::cuda {
namespace {

TEST(ArgmaxMath, TakesTheLargerTheFirstAmongEqualsAndNanAboveAll) {
  const float nan = std::nanf("");
  EXPECT_TRUE(beats<float>({2, 5}, {1, 0}));
  EXPECT_FALSE(beats<float>({1, 0}, {2, 5}));
  EXPECT_TRUE(beats<float>({1, 0}, {1, 5}));
  EXPECT_FALSE(beats<float>({1, 5}, {1, 0}));
  EXPECT_TRUE(beats<float>({nan, 5}, {INFINITY, 0}));
  EXPECT_FALSE(beats<float>({INFINITY, 0}, {nan, 5}));
  EXPECT_TRUE(beats<float>({nan, 1}, {nan, 5}));
  EXPECT_FALSE(beats<float>({0.0F, 5}, {-0.0F, 1}));
}

TEST(ArgmaxMath, WhatIsNoElementNeverWins) {
  EXPECT_FALSE(beats<int>({9, -1}, {1, 0}));
  EXPECT_TRUE(beats<int>({1, 0}, {9, -1}));
  EXPECT_FALSE(beats<int>({1, -1}, {9, -1}));
}

TEST(ArgmaxMath, IsATotalOrder) {
  std::vector<Candidate<float>> all;
  for (const float value : {0.0F, -0.0F, 1.0F, std::nanf(""), INFINITY, -INFINITY}) {
    for (const int64_t index : {0, 1, 2}) all.push_back({value, index * 7 + static_cast<int64_t>(all.size() % 3)});
  }
  for (const auto& a : all) {
    for (const auto& b : all) {
      EXPECT_TRUE(a.index == b.index || beats(a, b) != beats(b, a));
      for (const auto& c : all) {
        EXPECT_TRUE(!beats(a, b) || !beats(b, c) || beats(a, c));
      }
    }
  }
}

}  // namespace
}  // namespace myops::cuda
