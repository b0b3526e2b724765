#include "backend_cpu/strided_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace myops::cpu {
namespace {

using ::testing::ElementsAre;

Dims dims_of(const std::vector<std::pair<int64_t, int64_t>>& sizes_and_strides) {
  Dims dims;
  for (const auto& [size, stride] : sizes_and_strides) {
    dims.append(size, stride);
  }
  return dims;
}

std::vector<int64_t> offsets(const Dims& dims, int64_t start = 0) {
  std::vector<int64_t> found;
  StridedWalk walk(dims, start);
  for (int64_t i = start; i < dims.elements; ++i, walk.next()) {
    found.push_back(walk.offset());
  }
  return found;
}

TEST(StridedWalk, MergesDenseDimensionsIntoOne) {
  const Dims dims = dims_of({{2, 12}, {3, 4}, {1, 99}, {4, 1}});
  EXPECT_EQ(dims.count, 1);
  EXPECT_EQ(dims.size[0], 24);
  EXPECT_EQ(dims.stride[0], 1);
  EXPECT_EQ(dims.elements, 24);
}

TEST(StridedWalk, GoesInRowMajorOrderOverAnyStrides) {
  EXPECT_THAT(offsets(dims_of({{2, 1}, {3, 2}})), ElementsAre(0, 2, 4, 1, 3, 5));  // transposed
  EXPECT_THAT(offsets(dims_of({{2, 10}, {2, 3}})), ElementsAre(0, 3, 10, 13));     // stepped
  EXPECT_THAT(offsets(dims_of({{2, 0}, {2, 1}})), ElementsAre(0, 1, 0, 1));        // expanded
  EXPECT_THAT(offsets(dims_of({{2, 4}, {2, 100}, {2, 1}})), ElementsAre(0, 1, 100, 101, 4, 5, 104, 105));
}

TEST(StridedWalk, StartsAnywhere) {
  const Dims dims = dims_of({{3, 1}, {2, 10}, {2, 100}});
  const std::vector<int64_t> all = offsets(dims);
  for (int64_t start = 0; start < dims.elements; ++start) {
    EXPECT_EQ(offsets(dims, start), std::vector<int64_t>(all.begin() + start, all.end())) << start;
  }
}

TEST(StridedWalk, HasOneElementWithoutDimensions) {
  const Dims dims{};
  StridedWalk walk(dims, 0);
  EXPECT_EQ(walk.offset(), 0);
  EXPECT_EQ(walk.run(), 1);
}

TEST(StridedWalk, SkipsRunsOfTheInnermostDimension) {
  const Dims dims = dims_of({{2, 100}, {5, 2}});
  StridedWalk walk(dims, 3);
  EXPECT_EQ(walk.offset(), 6);
  EXPECT_EQ(walk.run(), 2);
  EXPECT_EQ(walk.inner_stride(), 2);
  walk.skip(2);
  EXPECT_EQ(walk.offset(), 100);
  EXPECT_EQ(walk.run(), 5);
}

}  // namespace
}  // namespace myops::cpu
