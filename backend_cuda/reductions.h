// Starts the kernels of sum and argmax. No torch: pointers, sizes and strides.
#pragma once

#include <cuda_runtime_api.h>

#include "backend_cuda/dtype.h"
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/reduction.h"

namespace myops::cuda {

// `output` is contiguous, in the order of the results: int64 for integers and bool, else of the input's dtype.
// `partial` has room for scratch_bytes(). There is a result; there may be no term.
cudaError_t launch_sum(Dtype dtype, const void* input, const Reduction& reduction, void* partial, void* output,
                       cudaStream_t stream);

// `output` is contiguous int64, in the order of the results. `partial` has room for scratch_bytes(). `reduction`
// has one reduced dimension, or none of size above 1. There is a result, and a term.
cudaError_t launch_argmax(Dtype dtype, const void* input, const Reduction& reduction, void* partial, void* output,
                          cudaStream_t stream);

// The sums of `count` contiguous rows, rounded to `dtype`. There is a row, and a column.
cudaError_t launch_sum_of_rows(Dtype dtype, const double* rows, int64_t count, int64_t columns, void* output,
                               cudaStream_t stream);

inline ReductionShape reduction_shape(const Reduction& reduction) {
  return reduction_shape(reduction.kept.elements, reduction.terms.elements, is_by_columns(reduction));
}

// Where there is more than one chunk, 8 bytes for each chunk of each result (double or int64), else none.
inline int64_t scratch_bytes(const Reduction& reduction) {
  const ReductionShape shape = reduction_shape(reduction);
  return shape.chunks == 1 ? 0 : reduction.kept.elements * shape.chunks * 8;
}

}  // namespace myops::cuda
