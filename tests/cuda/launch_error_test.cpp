#include "backend_cuda/launch_error.h"

#include <gtest/gtest.h>

namespace myops::cuda {
namespace {

TEST(CudaLaunchFailure, NamesOperatorShapeErrorAndWhatToDo) {
  const std::string text =
      launch_failure("myops::sum", "[3, 4] Float", "no kernel image is available", cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(text,
            "myops::sum of [3, 4] Float: its CUDA kernel could not be started: no kernel image is available (this "
            "build of libmyops_cuda.so has no code for this GPU: `myops check` tells which it has; build with "
            "MYOPS_CUDA_ARCH naming this GPU's)");
}

TEST(CudaLaunchFailure, SaysThatAnEarlierKernelMayBeTheCulprit) {
  for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorMisalignedAddress}) {
    EXPECT_NE(launch_hint(error).find("CUDA_LAUNCH_BLOCKING=1"), std::string::npos);
  }
  EXPECT_EQ(launch_failure("op", "[]", "unknown", cudaErrorUnknown),
            "op of []: its CUDA kernel could not be started: unknown");
}

}  // namespace
}  // namespace myops::cuda
