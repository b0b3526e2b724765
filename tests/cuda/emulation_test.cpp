#include "tests/cuda/emulation.h"

#include <gtest/gtest.h>

namespace myops::cuda {
namespace {

void count_kernel(int* count) { ++*count; }

cudaError_t start_of(unsigned blocks, unsigned threads, int* count) {
  return start(count_kernel, blocks, threads, nullptr, count);
}

TEST(CudaEmulation, RunsEachThreadOfEachBlock) {
  int count = 0;
  EXPECT_EQ(start_of(3, 64, &count), cudaSuccess);
  EXPECT_EQ(count, 3 * 64);
}

TEST(CudaEmulation, RefusesWhatAGpuRefuses) {
  int count = 0;
  EXPECT_EQ(start_of(0, 32, &count), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start_of(0x80000000U, 32, &count), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start_of(1, 0, &count), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start_of(1, 1025, &count), cudaErrorInvalidConfiguration);
  EXPECT_EQ(count, 0);
}

TEST(CudaEmulation, KnowsWhatParametersAKernelCanHave) {
  struct Bytes {
    char bytes[4092];
  };
  static_assert(are_parameters_of_a_kernel<Bytes, int>());
  static_assert(!are_parameters_of_a_kernel<Bytes, int, char>());
}

}  // namespace
}  // namespace myops::cuda
