#include "backend_cuda/rows.h"

#include <gtest/gtest.h>

namespace myops::cuda {
namespace {

Rows rows_at(uintptr_t address, int64_t row_stride, int64_t stride = 1) {
  Rows rows;
  rows.data = reinterpret_cast<const void*>(address);
  rows.dims.append(3, row_stride);
  rows.stride = stride;
  return rows;
}

TEST(CudaRows, FitPacksWhereEveryRowBeginsWithOneAndEndsWithOne) {
  EXPECT_TRUE(fits_packs(rows_at(4096, 16), 16, 2));
  EXPECT_TRUE(fits_packs(rows_at(4096, 24), 16, 2));
  EXPECT_TRUE(fits_packs(rows_at(4096, 0), 16, 2));  // expanded
  EXPECT_FALSE(fits_packs(rows_at(4098, 16), 16, 2));
  EXPECT_FALSE(fits_packs(rows_at(4096, 17), 16, 2));
  EXPECT_FALSE(fits_packs(rows_at(4096, 16, 2), 16, 2));
  EXPECT_FALSE(fits_packs(rows_at(4096, 16), 15, 2));
  EXPECT_TRUE(fits_packs(rows_at(4096, 2), 2, 8));
  EXPECT_FALSE(fits_packs(rows_at(4096, 3), 2, 8));
}

TEST(CudaRows, AParameterFitsWhereItIsAbsentOrDense) {
  EXPECT_TRUE(fits_packs(Parameter()));
  EXPECT_TRUE(fits_packs(Parameter{reinterpret_cast<const void*>(64), 1}));
  EXPECT_FALSE(fits_packs(Parameter{reinterpret_cast<const void*>(64), 2}));
  EXPECT_FALSE(fits_packs(Parameter{reinterpret_cast<const void*>(68), 1}));
}

TripleDims matrix(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  TripleDims dims;
  dims.count = 2;
  dims.elements = rows * columns;
  dims.size[0] = rows;
  dims.size[1] = columns;
  for (int array = 0; array < 3; ++array) {
    dims.stride[array][0] = array == 2 ? row_stride : columns * 4;
    dims.stride[array][1] = array == 2 ? column_stride : 4;
  }
  return dims;
}

TEST(CudaRows, BroadcastOperandsFitPacks) {
  const auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const std::array<const void*, 3> aligned = {at(4096), at(8192), at(16384)};
  EXPECT_TRUE(fits_packs(matrix(3, 8, 0, 4), aligned, 4));                          // a row
  EXPECT_TRUE(fits_packs(matrix(3, 8, 4, 0), aligned, 4));                          // a column
  EXPECT_TRUE(fits_packs(matrix(3, 8, 0, 0), {at(4096), at(8192), at(16388)}, 4));  // a scalar
  EXPECT_FALSE(fits_packs(matrix(3, 8, 0, 4), {at(4096), at(8192), at(16388)}, 4));
  EXPECT_FALSE(fits_packs(matrix(3, 7, 0, 4), aligned, 4));
  EXPECT_FALSE(fits_packs(matrix(3, 8, 36, 4), aligned, 4));
  EXPECT_FALSE(fits_packs(matrix(3, 8, 0, 8), aligned, 4));
  EXPECT_FALSE(fits_packs(TripleDims(), aligned, 4));
}

}  // namespace
}  // namespace myops::cuda
