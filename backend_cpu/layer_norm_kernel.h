// layer_norm over rows: output = (input - mean) / sqrt(variance + eps) · weight + bias. Squares beyond float's range
// (deviations above 1.8e19) give NaN.
#pragma once

#include <cmath>

#include "backend_cpu/lane_sums.h"
#include "backend_cpu/row_values.h"

namespace myops::cpu {

// A row's values x become (x - mean) · scale + offset: normalised.
template <class W>
struct Moments {
  W mean;
  W scale;   // 1 / standard deviation
  W offset;  // what rounding the mean to W cost
};

// Two passes, so that a large mean does not cancel; the second also sums the deviations themselves, which corrects the
// mean (Chan, Golub and LeVeque 1983, "corrected two-pass algorithm").
template <class W>
Moments<W> moments(const W* x, int64_t size, double eps) {
  const double per_element = 1 / static_cast<double>(size);  // multiplying by it waits less than dividing
  const W mean = static_cast<W>(sum_of<W>(size, [x](int64_t i) { return x[i]; }) * per_element);
  const auto [deviations, squares] = sums_of<W>(
      size, [x, mean](int64_t i) { return x[i] - mean; },
      [x, mean](int64_t i) {
        const W deviation = x[i] - mean;
        return deviation * deviation;
      });
  const double shift = deviations * per_element;
  const double variance = squares * per_element - shift * shift;
  // Not std::max: NaN must stay NaN. Zero times an infinite variance is NaN too.
  const double scale = 1 / std::sqrt((variance < 0 ? 0 : variance) + 0 * variance + eps);
  return {mean, static_cast<W>(scale), static_cast<W>(-shift * scale)};
}

// y may be x.
template <class W>
void normalise(const W* x, const Moments<W>& row, const W* weight, const W* bias, int64_t size, W* y) {
  const Moments<W> m = row;
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) {
    y[i] = ((x[i] - m.mean) * m.scale + m.offset) * weight[i] + bias[i];
  }
}

template <class T>
struct LayerNorm {
  Rows<T> input;
  const Wide<T>* weight;
  const Wide<T>* bias;
  T* output;  // contiguous
  int64_t size;
  double eps;

  // Rows from `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    const auto buffer = row_buffer<T>(size);
    StridedWalk walk(input.dims, begin);
    for (int64_t row = begin; row < end; ++row, walk.next()) {
      const Wide<T>* x = read_row(input.data + walk.offset(), input.stride, size, buffer.get());
      Wide<T>* y = output_row(output + row * size, buffer.get());
      normalise(x, moments(x, size, eps), weight, bias, size, y);
      write_row(y, size, output + row * size);
    }
  }
};

}  // namespace myops::cpu
