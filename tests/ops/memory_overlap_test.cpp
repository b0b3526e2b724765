#include "schema/contract/memory_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace myops::contract {
namespace {

using Numbers = std::vector<int64_t>;

StridedArray array_of(const Numbers& sizes, const Numbers& strides, int64_t offset = 0) {
  return {sizes.data(), strides.data(), static_cast<int64_t>(sizes.size()), offset};
}

bool overlaps(const Numbers& sizes, const Numbers& strides) { return overlaps_itself(array_of(sizes, strides)); }

// The offset of each element.
Numbers offsets_of(const Numbers& sizes, const Numbers& strides, int64_t offset = 0) {
  Numbers offsets{offset};
  for (size_t d = 0; d < sizes.size(); ++d) {
    Numbers longer;
    for (const int64_t before : offsets) {
      for (int64_t i = 0; i < sizes[d]; ++i) {
        longer.push_back(before + i * strides[d]);
      }
    }
    offsets = longer;
  }
  return offsets;
}

// The truth, by counting distinct offsets.
bool overlaps_in_fact(const Numbers& sizes, const Numbers& strides) {
  const Numbers offsets = offsets_of(sizes, strides);
  return std::set<int64_t>(offsets.begin(), offsets.end()).size() < offsets.size();
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

TEST(MemoryOverlap, DecidesThreeDimensions) {
  for (int64_t code = 0; code < 27 * 343; ++code) {
    const Numbers sizes{1 + code % 3, 1 + code / 3 % 3, 1 + code / 9 % 3};
    const Numbers strides{code / 27 % 7, code / 189 % 7, code / 1323};
    ASSERT_EQ(overlaps(sizes, strides), overlaps_in_fact(sizes, strides)) << code;
  }
}

TEST(MemoryOverlap, DecidesPairsOfArrays) {
  for (int64_t code = 0; code < 4 * 4 * 5 * 5 * 5 * 5 * 12; ++code) {
    const Numbers one_sizes{3, 1 + code % 4};
    const Numbers other_sizes{2, 1 + code / 4 % 4};
    const Numbers one_strides{code / 16 % 5 * 2, code / 80 % 5};
    const Numbers other_strides{code / 400 % 5 * 2, code / 2000 % 5};
    const int64_t offset = code / 10000;
    const Numbers one = offsets_of(one_sizes, one_strides, 5);
    const Numbers other = offsets_of(other_sizes, other_strides, offset);
    const bool in_fact = std::any_of(one.begin(), one.end(), [&](int64_t element) {
      return std::find(other.begin(), other.end(), element) != other.end();
    });
    ASSERT_EQ(share_elements(array_of(one_sizes, one_strides, 5), array_of(other_sizes, other_strides, offset)),
              in_fact)
        << code;
  }
}

TEST(MemoryOverlap, TellsColumnsOfOneMatrixApart) {
  const Numbers sizes{1000, 3999};
  const Numbers strides{4000, 1};
  EXPECT_TRUE(share_elements(array_of(sizes, strides, 0), array_of(sizes, strides, 1)));
  const Numbers every_other{1000, 2000};
  const Numbers steps{4000, 2};
  EXPECT_FALSE(share_elements(array_of(every_other, steps, 0), array_of(every_other, steps, 1)));
  const Numbers half{1000, 2000};
  EXPECT_FALSE(share_elements(array_of(half, strides, 0), array_of(half, strides, 2000)));
  EXPECT_TRUE(share_elements(array_of(half, strides, 0), array_of(half, strides, 1999)));
}

TEST(MemoryOverlap, KnowsTheSameElements) {
  const Numbers sizes{2, 1, 3};
  const Numbers strides{9, 5, 2};
  const Numbers same{9, 70, 2};
  const Numbers other{9, 5, 1};
  EXPECT_TRUE(are_same_elements(array_of(sizes, strides), array_of(sizes, same)));
  EXPECT_FALSE(are_same_elements(array_of(sizes, strides), array_of(sizes, other)));
  EXPECT_FALSE(are_same_elements(array_of(sizes, strides), array_of(sizes, strides, 1)));
}

// Strides of primes in many dimensions are a knapsack that nobody can decide quickly: the answer is the careful one.
TEST(MemoryOverlap, EndsWhereItCannotBeDecided) {
  const Numbers sizes(12, 9);
  const Numbers strides{100003, 100019, 100043, 100049, 100057, 100069, 100103, 100109, 100129, 100151, 100153, 100169};
  EXPECT_TRUE(overlaps(sizes, strides));
}

}  // namespace
}  // namespace myops::contract
