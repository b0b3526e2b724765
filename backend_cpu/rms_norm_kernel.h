// rms_norm over rows: output = input / sqrt(mean(input²) + eps) · weight. Squares beyond float's range (|input|
// > 1.8e19) give 0.
#pragma once

#include <cmath>

#include "backend_cpu/lane_sums.h"
#include "backend_cpu/row_values.h"

namespace myops::cpu {

// 1 / sqrt(mean square + eps) of a row.
template <class W>
W inverse_rms(const W* x, int64_t size, double eps) {
  const double per_element = 1 / static_cast<double>(size);  // multiplying by it waits less than dividing
  const double squares = sum_of<W>(size, [x](int64_t i) { return x[i] * x[i]; });
  return static_cast<W>(1 / std::sqrt(squares * per_element + eps));
}

template <class T>
struct RmsNorm {
  Rows<T> input;
  const Wide<T>* weight;
  T* output;  // contiguous
  int64_t size;
  double eps;

  // Rows from `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    const auto buffer = row_buffer<T>(size);
    StridedWalk walk(input.dims, begin);
    for (int64_t row = begin; row < end; ++row, walk.next()) {
      const Wide<T>* x = read_row(input.data + walk.offset(), input.stride, size, buffer.get());
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
