// Starts the kernels of the elementwise operators. No torch: pointers, sizes and strides.
#pragma once

#include <cuda_runtime_api.h>

#include "backend_cuda/dims.h"
#include "backend_cuda/dtype.h"

namespace myops::cuda {

enum class PairOperation { kAdd, kMultiplyThenAdd };

// `out` may be `first` or `second` (the same elements), but must not overlap them otherwise.
struct PairOperands {
  void* out;
  const void* first;
  const void* second;
};

// All three dense. There is an element.
cudaError_t launch_pairs(PairOperation operation, Dtype dtype, const PairOperands& operands, int64_t count,
                         cudaStream_t stream);

// Any strides. There is an element.
cudaError_t launch_pairs(PairOperation operation, Dtype dtype, const PairOperands& operands, const TripleDims& dims,
                         cudaStream_t stream);

}  // namespace myops::cuda
