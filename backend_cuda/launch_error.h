// What is said when a kernel could not be started. No torch.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace myops::cuda {

// What to do about it, or "" where the error says enough.
inline std::string launch_hint(cudaError_t error) {
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "this build of libmyops_cuda.so has no code for this GPU: `myops check` tells which it has; build with "
             "MYOPS_CUDA_ARCH naming this GPU's";
    case cudaErrorInsufficientDriver:
      return "the NVIDIA driver is older than this build's CUDA runtime";
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
      return "please report this call: its kernel asked for what this GPU does not have";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorIllegalInstruction:
    case cudaErrorAssert:
      return "a kernel that was started earlier failed, not necessarily this one: CUDA_LAUNCH_BLOCKING=1 tells which; "
             "this process can use the GPU no more";
    default:
      return "";
  }
}

// "myops::sum of [3, 4] Float: its CUDA kernel could not be started: … (hint)"
inline std::string launch_failure(const std::string& op, const std::string& input, const std::string& text,
                                  cudaError_t error) {
  const std::string hint = launch_hint(error);
  return op + " of " + input + ": its CUDA kernel could not be started: " + text +
         (hint.empty() ? "" : " (" + hint + ")");
}

}  // namespace myops::cuda
