// What every kernel of myops_cuda needs of torch: dtype, result, stream and the check of a launch. Nothing here waits
// for the device, and memory comes from torch's allocator alone, so a call can be captured into a CUDA graph.
#pragma once

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "backend_cuda/dtype.h"
#include "backend_cuda/launch_error.h"

namespace myops::cuda {

// The contract has let through no other dtype.
inline Dtype dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kHalf:
      return Dtype::kHalf;
    case at::kBFloat16:
      return Dtype::kBFloat16;
    case at::kFloat:
      return Dtype::kFloat;
    case at::kDouble:
      return Dtype::kDouble;
    case at::kByte:
      return Dtype::kByte;
    case at::kChar:
      return Dtype::kChar;
    case at::kShort:
      return Dtype::kShort;
    case at::kInt:
      return Dtype::kInt;
    case at::kLong:
      return Dtype::kLong;
    case at::kBool:
      return Dtype::kBool;
    default:
      TORCH_CHECK(false, "myops: no CUDA kernel for dtype ", tensor.scalar_type());
  }
}

// A contiguous tensor on the current device. As at::detail::empty_cuda, which is in libtorch_cuda: that library stays
// out of what this one needs.
inline at::Tensor empty_on_device(at::IntArrayRef sizes, at::ScalarType dtype) {
  constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::CUDA);
  return at::detail::empty_generic(sizes, c10::cuda::CUDACachingAllocator::get(), kKeys, dtype, std::nullopt);
}

// Memory for one call. Torch's allocator hands it out again in the order of the stream, so it may be let go before the
// kernels have run.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) {
    if (bytes > 0) {
      memory_ = c10::cuda::CUDACachingAllocator::get()->allocate(static_cast<size_t>(bytes));
    }
  }

  void* get() const { return memory_.get(); }

 private:
  c10::DataPtr memory_;
};

inline cudaStream_t current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

// `input`: the tensor that the call is best known by.
inline void check_launch(const char* op, const at::Tensor& input, cudaError_t error) {
  TORCH_CHECK(error == cudaSuccess,
              launch_failure(op, c10::str(input.sizes(), " ", input.scalar_type()), cudaGetErrorString(error), error));
}

}  // namespace myops::cuda
