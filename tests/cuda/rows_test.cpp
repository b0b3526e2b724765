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

}  // namespace
}  // namespace myops::cuda
