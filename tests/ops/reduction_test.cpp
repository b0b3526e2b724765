#include "backend_cpu/reduction.h"

#include <gtest/gtest.h>

#include <vector>

namespace myops::cpu {
namespace {

Reduction reduction_of(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                       const std::vector<int>& reduced) {
  std::bitset<kMaxDims> set;
  for (const int d : reduced) {
    set.set(d);
  }
  return make_reduction(sizes.data(), strides.data(), static_cast<int>(sizes.size()), set);
}

TEST(Reduction, RowsOfADenseArrayAreOneRunEach) {
  const Reduction reduction = reduction_of({2, 3, 4}, {12, 4, 1}, {1, 2});
  EXPECT_EQ(reduction.columns, 1);
  EXPECT_EQ(reduction.results(), 2);
  EXPECT_EQ(reduction.terms.count, 1);
  EXPECT_EQ(reduction.terms.size[0], 12);
  EXPECT_EQ(reduction.terms.stride[0], 1);
}

TEST(Reduction, LeadingDimensionsLeaveColumns) {
  const Reduction reduction = reduction_of({5, 3, 4}, {12, 4, 1}, {0});
  EXPECT_EQ(reduction.columns, 12);
  EXPECT_EQ(reduction.column_stride, 1);
  EXPECT_EQ(reduction.outer.count, 0);
  EXPECT_EQ(reduction.results(), 12);
  EXPECT_EQ(reduction.terms.stride[0], 12);
}

TEST(Reduction, AMiddleDimensionKeepsAnOuterOne) {
  const Reduction reduction = reduction_of({2, 3, 4}, {12, 4, 1}, {1});
  EXPECT_EQ(reduction.columns, 4);
  EXPECT_EQ(reduction.outer.elements, 2);
  EXPECT_EQ(reduction.outer.stride[0], 12);
}

TEST(Reduction, TermsAreReadInTheOrderOfMemory) {
  const Reduction reduction = reduction_of({3, 4}, {1, 3}, {0, 1});  // transposed and dense
  EXPECT_EQ(reduction.terms.count, 1);
  EXPECT_EQ(reduction.terms.size[0], 12);
}

TEST(Reduction, HandlesEmptyAndScalarArrays) {
  EXPECT_EQ(reduction_of({}, {}, {}).results(), 1);
  EXPECT_EQ(reduction_of({}, {}, {}).terms.elements, 1);
  EXPECT_EQ(reduction_of({0, 3}, {3, 1}, {0}).results(), 3);
  EXPECT_EQ(reduction_of({0, 3}, {3, 1}, {0}).terms.elements, 0);
  EXPECT_EQ(reduction_of({0, 3}, {3, 1}, {1}).results(), 0);
}

}  // namespace
}  // namespace myops::cpu
