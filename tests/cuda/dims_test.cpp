#include "backend_cuda/dims.h"

#include <gtest/gtest.h>

namespace myops::cuda {
namespace {

TEST(CudaDims, OffsetsAreThoseOfRowMajorOrder) {
  Dims dims;
  dims.append(2, 100);
  dims.append(1, 7);
  dims.append(3, 1);
  dims.append(5, 10);
  EXPECT_EQ(dims.count, 3);
  EXPECT_EQ(dims.elements, 30);
  int64_t element = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 5; ++k) EXPECT_EQ(dims.offset_of(element++), 100 * i + j + 10 * k);
    }
  }
}

TEST(CudaDims, DenseDimensionsAreOne) {
  Dims dims;
  dims.append(2, 15);
  dims.append(3, 5);
  dims.append(5, 1);
  EXPECT_EQ(dims.count, 1);
  EXPECT_EQ(dims.offset_of(29), 29);
}

TEST(CudaDims, ExpandedDimensionsStayInPlace) {
  Dims dims;
  dims.append(4, 0);
  dims.append(3, 2);
  EXPECT_EQ(dims.offset_of(11), 4);
}

TEST(CudaDims, ASingleElementHasOffsetZero) {
  EXPECT_EQ(Dims().offset_of(0), 0);
  EXPECT_EQ(Dims().elements, 1);
}

TEST(CudaDims, DividesBeyond32Bits) {
  EXPECT_EQ(divide(7, 3), 2);
  EXPECT_EQ(divide(0xffffffff, 2), 0x7fffffff);
  EXPECT_EQ(divide(int64_t{1} << 40, 3), (int64_t{1} << 40) / 3);
  EXPECT_EQ(divide(5, int64_t{1} << 40), 0);
  Dims dims;
  dims.append(3, int64_t{1} << 33);
  dims.append(int64_t{1} << 32, 2);
  EXPECT_EQ(dims.count, 1);
  EXPECT_EQ(dims.offset_of((int64_t{1} << 33) + 5), (int64_t{1} << 34) + 10);
}

TEST(CudaTripleDims, GivesTheOffsetsOfEachArray) {
  TripleDims dims;
  dims.count = 2;
  dims.elements = 6;
  dims.size[0] = 2;
  dims.size[1] = 3;
  const int64_t strides[3][2] = {{12, 4}, {4, 8}, {0, 4}};
  for (int array = 0; array < 3; ++array) {
    for (int d = 0; d < 2; ++d) dims.stride[array][d] = strides[array][d];
  }
  int64_t offsets[3];
  dims.offsets_of(5, offsets);
  EXPECT_EQ(offsets[0], 20);
  EXPECT_EQ(offsets[1], 20);
  EXPECT_EQ(offsets[2], 8);
  dims.offsets_of(0, offsets);
  EXPECT_EQ(offsets[0] + offsets[1] + offsets[2], 0);
}

}  // namespace
}  // namespace myops::cuda
