// add_rms_norm over rows: sum = input + residual, and the rms_norm of that sum as it was rounded.
#pragma once

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
    StridedWalk input_walk(input.dims, begin);
    StridedWalk residual_walk(residual.dims, begin);
    for (int64_t row = begin; row < end; ++row, input_walk.next(), residual_walk.next()) {
      T* sum_row = sum + row * size;
      add(input.data + input_walk.offset(), residual.data + residual_walk.offset(), sum_row, buffer.get());
      const Wide<T>* x = read_row(sum_row, 1, size, buffer.get());
      const Wide<T> scale = inverse_rms(x, size, eps);
      Wide<T>* y = output_row(output + row * size, buffer.get());
#pragma omp simd
      for (int64_t i = 0; i < size; ++i) {
        y[i] = x[i] * scale * weight[i];
      }
      write_row(y, size, output + row * size);
    }
  }

 private:
  // `buffer` holds two rows.
  void add(const T* input_row, const T* residual_row, T* sum_row, Wide<T>* buffer) const {
    const Wide<T>* a = read_row(input_row, input.stride, size, buffer);
    const Wide<T>* b = read_row(residual_row, residual.stride, size, buffer + size);
    Wide<T>* values = output_row(sum_row, buffer);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      values[i] = a[i] + b[i];
    }
    write_row(values, size, sum_row);
  }
};

}  // namespace myops::cpu
