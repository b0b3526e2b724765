// Starts the kernels of the normalisations and of their gradients. No torch: pointers, sizes and strides.
#pragma once

#include <cuda_runtime_api.h>

#include "backend_cuda/dtype.h"
#include "backend_cuda/rows.h"

namespace myops::cuda {

enum class Norm { kRms, kLayer };

struct NormForward {
  Rows input;
  Rows residual;  // null data: there is none, and no `sum`
  Parameter weight;
  Parameter bias;
  void* output;  // contiguous, as `sum`
  void* sum;     // input + residual as it was rounded: what is normalised
  int64_t rows;
  int64_t size;
  double eps;
};

// There is a row, and it is not empty.
cudaError_t launch_norm(Norm norm, Dtype dtype, const NormForward& call, cudaStream_t stream);

struct NormBackward {
  Rows grad;
  Rows input;
  Parameter weight;
  void* grad_input;  // contiguous; null: not wanted
  void* moments;     // moments_bytes() for each row; null: not wanted
  int64_t rows;
  int64_t size;
  double eps;
};

// Gradients of the input, and the moments of each row for launch_column_sums(). There is a row, and it is not empty.
cudaError_t launch_norm_backward(Norm norm, Dtype dtype, const NormBackward& call, cudaStream_t stream);
inline int64_t moments_bytes(Dtype dtype) { return 3 * (dtype == Dtype::kDouble ? 8 : 4); }

struct ColumnSums {
  Rows grad;
  Rows input;
  const void* moments;  // as launch_norm_backward() wrote them; unused where there are no `weight_sums`
  double* weight_sums;  // [chunks][size]: Σ grad · normalised input over the rows of a chunk; null: not wanted
  double* bias_sums;    // [chunks][size]: Σ grad; null: not wanted
  int64_t rows;
  int64_t size;
  int64_t chunks;  // column_chunks()
};

// Sums over rows in chunks, for launch_sum_of_rows(). There is a row, and it is not empty.
cudaError_t launch_column_sums(Dtype dtype, const ColumnSums& call, cudaStream_t stream);

}  // namespace myops::cuda
