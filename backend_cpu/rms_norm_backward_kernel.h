// The gradients of rms_norm over rows. With s = 1 / rms, x̂ = s · input and g = grad · weight:
//   d input = s (g - x̂ ⟨g x̂⟩), where ⟨·⟩ is the mean over the row;   d weight = Σ over rows of grad · x̂.
#pragma once

#include "backend_cpu/column_sums.h"
#include "backend_cpu/rms_norm_kernel.h"

namespace myops::cpu {

template <class T>
struct RmsNormBackward {
  Rows<T> grad;
  Rows<T> input;
  const Wide<T>* weight;
  T* grad_input;  // contiguous; null: not wanted
  int64_t size;
  double eps;

  // Rows from `begin` to `end`; threads may share the object, not the sums. `weight_sums` may be null: not wanted.
  void operator()(int64_t begin, int64_t end, ColumnSums<Wide<T>>* weight_sums) const {
    const auto buffer = row_buffer<T>(2 * size);
    StridedWalk grad_walk(grad.dims, begin);
    StridedWalk input_walk(input.dims, begin);
    for (int64_t row = begin; row < end; ++row, grad_walk.next(), input_walk.next()) {
      const Wide<T>* x = read_row(input.data + input_walk.offset(), input.stride, size, buffer.get());
      const Wide<T>* dy = read_row(grad.data + grad_walk.offset(), grad.stride, size, buffer.get() + size);
      const Wide<T> scale = inverse_rms(x, size, eps);
      if (weight_sums != nullptr) {
        weight_sums->add_row([x, dy, scale](int64_t i) { return dy[i] * (x[i] * scale); });
      }
      if (grad_input != nullptr) {
        write_grad_input(x, dy, scale, grad_input + row * size, buffer.get());
      }
    }
  }

 private:
  // `buffer` may hold x.
  void write_grad_input(const Wide<T>* x, const Wide<T>* dy, Wide<T> scale, T* row, Wide<T>* buffer) const {
    const Wide<T>* w = weight;
    const double products = sum_of<Wide<T>>(size, [x, dy, w](int64_t i) { return dy[i] * w[i] * x[i]; });
    const double mean_product = products * scale / static_cast<double>(size);  // ⟨g x̂⟩
    const auto of_input = static_cast<Wide<T>>(-mean_product * scale * scale);
    Wide<T>* dx = output_row(row, buffer);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      dx[i] = dy[i] * w[i] * scale + x[i] * of_input;
    }
    write_row(dx, size, row);
  }
};

}  // namespace myops::cpu
