// Starts the kernels of silu_and_mul, gelu_and_mul and their gradients. No torch: pointers, sizes and strides.
#pragma once

#include <cuda_runtime_api.h>

#include "backend_cuda/dtype.h"
#include "backend_cuda/rows.h"

namespace myops::cuda {

enum class Activation { kSilu, kGelu, kGeluTanh };

// activation(a) · b, where a and b are the halves of each row of the input.
struct Gated {
  Rows input;    // rows of 2 · half
  void* output;  // contiguous rows of half
  int64_t rows;
  int64_t half;
};

// There is a row, and it is not empty.
cudaError_t launch_gated(Activation activation, Dtype dtype, const Gated& call, cudaStream_t stream);

struct GatedBackward {
  Rows grad;         // rows of half
  Rows input;        // rows of 2 · half
  void* grad_input;  // contiguous rows of 2 · half
  int64_t rows;
  int64_t half;
};

// There is a row, and it is not empty.
cudaError_t launch_gated_backward(Activation activation, Dtype dtype, const GatedBackward& call, cudaStream_t stream);

}  // namespace myops::cuda
