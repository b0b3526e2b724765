#include "schema/contract/memory_overlap.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace myops::contract {
namespace {

bool overlaps(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  return surely_overlaps(sizes.data(), strides.data(), static_cast<int64_t>(sizes.size()));
}

// The truth for two dimensions, by counting distinct offsets.
bool overlaps_in_fact(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  std::set<int64_t> offsets;
  for (int64_t a = 0; a < sizes[0]; ++a) {
    for (int64_t b = 0; b < sizes[1]; ++b) {
      offsets.insert(a * strides[0] + b * strides[1]);
    }
  }
  return static_cast<int64_t>(offsets.size()) < sizes[0] * sizes[1];
}

TEST(MemoryOverlap, FindsExpandedDimensions) {
  EXPECT_TRUE(overlaps({3}, {0}));
  EXPECT_TRUE(overlaps({2, 3}, {0, 1}));
  EXPECT_FALSE(overlaps({1, 3}, {0, 1}));
  EXPECT_FALSE(overlaps({0, 3}, {0, 0}));  // no elements at all
}

TEST(MemoryOverlap, FindsSlidingWindows) {
  EXPECT_TRUE(overlaps({8, 3}, {1, 1}));   // unfold(0, 3, 1)
  EXPECT_FALSE(overlaps({4, 2}, {2, 1}));  // unfold(0, 2, 2)
  EXPECT_TRUE(overlaps({5, 2, 3}, {100, 1, 1}));
}

TEST(MemoryOverlap, LeavesDenseAndSteppedArraysAlone) {
  EXPECT_FALSE(overlaps({}, {}));
  EXPECT_FALSE(overlaps({2, 3, 4}, {12, 4, 1}));
  EXPECT_FALSE(overlaps({4, 3, 2}, {1, 4, 12}));
  EXPECT_FALSE(overlaps({2, 3}, {20, 5}));
}

TEST(MemoryOverlap, DecidesEveryPairOfDimensions) {
  for (int64_t a = 1; a < 5; ++a) {
    for (int64_t b = 1; b < 5; ++b) {
      for (int64_t s = 0; s < 7; ++s) {
        for (int64_t t = 0; t < 7; ++t) {
          ASSERT_EQ(overlaps({a, b}, {s, t}), overlaps_in_fact({a, b}, {s, t})) << a << b << s << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace myops::contract
