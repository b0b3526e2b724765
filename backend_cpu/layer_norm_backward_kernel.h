// The gradients of layer_norm over rows. With s = 1 / std, x̂ = s (input - mean) and g = grad · weight:
//   d input = s (g - ⟨g⟩ - x̂ ⟨g x̂⟩), where ⟨·⟩ is the mean over the row;
//   d weight = Σ over rows of grad · x̂;   d bias = Σ over rows of grad.
#pragma once

#include "backend_cpu/column_sums.h"
#include "backend_cpu/layer_norm_kernel.h"

namespace myops::cpu {

template <class T>
struct LayerNormBackward {
  Rows<T> grad;
  Rows<T> input;
  const Wide<T>* weight;
  T* grad_input;  // contiguous; null: not wanted
  int64_t size;
  double eps;

  // Rows from `begin` to `end`; threads may share the object, not the sums. Sums may be null: not wanted.
  void operator()(int64_t begin, int64_t end, ColumnSums<Wide<T>>* weight_sums, ColumnSums<Wide<T>>* bias_sums) const {
    std::vector<Wide<T>> buffer(3 * size);
    Wide<T>* normalised = buffer.data() + 2 * size;
    StridedWalk grad_walk(grad.dims, begin);
    StridedWalk input_walk(input.dims, begin);
    for (int64_t row = begin; row < end; ++row, grad_walk.next(), input_walk.next()) {
      const Wide<T>* dy = read_row(grad.data + grad_walk.offset(), grad.stride, size, buffer.data() + size);
      if (bias_sums != nullptr) {
        bias_sums->add_row([dy](int64_t i) { return dy[i]; });
      }
      if (weight_sums == nullptr && grad_input == nullptr) {
        continue;
      }
      const Wide<T>* x = read_row(input.data + input_walk.offset(), input.stride, size, buffer.data());
      const Moments<Wide<T>> row_moments = moments(x, size, eps);
      write_normalised(x, row_moments, normalised);
      if (weight_sums != nullptr) {
        weight_sums->add_row([dy, normalised](int64_t i) { return dy[i] * normalised[i]; });
      }
      if (grad_input != nullptr) {
        write_grad_input(normalised, dy, row_moments.scale, grad_input + row * size, buffer.data());
      }
    }
  }

 private:
  void write_normalised(const Wide<T>* x, const Moments<Wide<T>>& row, Wide<T>* normalised) const {
    const Moments<Wide<T>> m = row;
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      normalised[i] = (x[i] - m.mean) * m.scale + m.offset;
    }
  }

  void write_grad_input(const Wide<T>* normalised, const Wide<T>* dy, Wide<T> scale, T* row, Wide<T>* buffer) const {
    const Wide<T>* w = weight;
    const auto [slopes, products] = sums_of<Wide<T>>(
        size, [dy, w](int64_t i) { return dy[i] * w[i]; },
        [dy, w, normalised](int64_t i) { return dy[i] * w[i] * normalised[i]; });
    const auto mean_slope = static_cast<Wide<T>>(slopes / static_cast<double>(size));
    const auto mean_product = static_cast<Wide<T>>(products / static_cast<double>(size));
    Wide<T>* dx = output_row(row, buffer);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      dx[i] = scale * (dy[i] * w[i] - mean_slope - normalised[i] * mean_product);
    }
    write_row(dx, size, row);
  }
};

}  // namespace myops::cpu
