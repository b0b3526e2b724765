// add_rms_norm over rows: sum = input + residual, and the rms_norm of that sum as it was rounded.
#pragma once

#include "backend_cpu/added_rows.h"
#include "backend_cpu/rms_norm_kernel.h"

namespace myops::cpu {

template <class T>
struct AddRmsNorm {
  Rows<T> input;
  Rows<T> residual;
  const Wide<T>* weight;
  T* output;  // contiguous, as `sum`
  T* sum;
  int64_t size;
  double eps;

  // Rows from `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    const auto buffer = row_buffer<T>(2 * size);
    const AddedRows<T> added{input, residual, size};
    StridedWalk input_walk(input.dims, begin);
    StridedWalk residual_walk(residual.dims, begin);
    for (int64_t row = begin; row < end; ++row, input_walk.next(), residual_walk.next()) {
      const Wide<T>* x = added(input_walk.offset(), residual_walk.offset(), sum + row * size, buffer.get());
      const Wide<T> scale = inverse_rms(x, size, eps);
      Wide<T>* y = output_row(output + row * size, buffer.get());
#pragma omp simd
      for (int64_t i = 0; i < size; ++i) {
        y[i] = x[i] * scale * weight[i];
      }
      write_row(y, size, output + row * size);
    }
  }
};

}  // namespace myops::cpu
