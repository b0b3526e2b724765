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
    const auto buffer = row_buffer<T>(2 * size);
    StridedWalk grad_walk(grad.dims, begin);
    StridedWalk input_walk(input.dims, begin);
    for (int64_t row = begin; row < end; ++row, grad_walk.next(), input_walk.next()) {
      const Wide<T>* dy = read_row(grad.data + grad_walk.offset(), grad.stride, size, buffer.get() + size);
      if (bias_sums != nullptr) {
        bias_sums->add_row([dy](int64_t i) { return dy[i]; });
      }
      if (weight_sums == nullptr && grad_input == nullptr) {
        continue;
      }
      const Wide<T>* x = read_row(input.data + input_walk.offset(), input.stride, size, buffer.get());
      const Moments<Wide<T>> m = moments(x, size, eps);
      if (weight_sums != nullptr) {
        weight_sums->add_row([dy, x, m](int64_t i) { return dy[i] * ((x[i] - m.mean) * m.scale + m.offset); });
      }
      if (grad_input != nullptr) {
        write_grad_input(x, dy, m, grad_input + row * size, buffer.get());
      }
    }
  }

 private:
  // x̂ is not stored: with d = input - mean it is d · scale + offset, and d input is linear in g and d. `buffer` may
  // hold x.
  void write_grad_input(const Wide<T>* x, const Wide<T>* dy, const Moments<Wide<T>>& m, T* row, Wide<T>* buffer) const {
    const Wide<T>* w = weight;
    const Wide<T> mean = m.mean;
    const auto [slopes, products] = sums_of<Wide<T>>(
        size, [dy, w](int64_t i) { return dy[i] * w[i]; },
        [dy, w, x, mean](int64_t i) { return dy[i] * w[i] * (x[i] - mean); });
    const double per_element = 1 / static_cast<double>(size);
    const double mean_product = (products * m.scale + slopes * m.offset) * per_element;  // ⟨g x̂⟩
    const Wide<T> scale = m.scale;
    const auto of_deviation = static_cast<Wide<T>>(-mean_product * m.scale * m.scale);
    const auto constant = static_cast<Wide<T>>(-(slopes * per_element + mean_product * m.offset) * m.scale);
    Wide<T>* dx = output_row(row, buffer);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      dx[i] = dy[i] * w[i] * scale + ((x[i] - mean) * of_deviation + constant);
    }
    write_row(dx, size, row);
  }
};

}  // namespace myops::cpu
