#include "backend_cuda/reduction.h"

#include <gtest/gtest.h>

namespace myops::cuda {
namespace {

TEST(CudaReduction, TermsAreOrderedByStrideAndResultsByDimension) {
  const int64_t sizes[] = {2, 3, 4, 5};
  const int64_t strides[] = {1, 2, 30, 6};
  const Reduction reduction = make_reduction(sizes, strides, 4, std::bitset<kMaxDims>().set(1).set(2));
  EXPECT_EQ(reduction.kept.elements, 10);
  EXPECT_EQ(reduction.kept.offset_of(7), 1 + 2 * 6);
  EXPECT_EQ(reduction.terms.elements, 12);
  EXPECT_EQ(reduction.terms.offset_of(5), 30 + 2 * 2);
}

TEST(CudaReduction, NeighbouringResultsAreColumns) {
  const int64_t sizes[] = {4, 5};
  const int64_t strides[] = {5, 1};
  EXPECT_TRUE(is_by_columns(make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set(0))));
  EXPECT_FALSE(is_by_columns(make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set(1))));
  EXPECT_FALSE(is_by_columns(make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set())));
  EXPECT_FALSE(is_by_columns(make_reduction(sizes, strides, 2, std::bitset<kMaxDims>())));
}

TEST(CudaReduction, OfAScalarHasOneTermAndOneResult) {
  const Reduction reduction = make_reduction(nullptr, nullptr, 0, std::bitset<kMaxDims>().set());
  EXPECT_EQ(reduction.kept.elements, 1);
  EXPECT_EQ(reduction.terms.elements, 1);
}

}  // namespace
}  // namespace myops::cuda
