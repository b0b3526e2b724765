// rms_norm over a row: input / sqrt(mean(input²) + eps) · weight. Squares beyond float's range (|input| > 1.8e19) give
// 0, and so may the sum of 1024 of them.
#pragma once

#include "backend_cuda/inverse_root_math.h"
#include "backend_cuda/moments_math.h"

namespace myops::cuda {

// `squares`: Σ input², `per_element`: 1 / size.
template <class W>
MYOPS_HD Moments<W> rms_moments(double squares, double per_element, double eps) {
  return {W(0), inverse_root<W>(squares * per_element + eps), W(0)};
}

// `products`: Σ g · input, with g = grad · weight. With s = 1 / rms and x̂ = s · input: d input = s (g - x̂ ⟨g x̂⟩),
// where ⟨·⟩ is the mean over the row.
template <class W>
MYOPS_HD RowGradient<W> rms_gradient(double products, const Moments<W>& row, double per_element) {
  const double mean_product = products * row.scale * per_element;
  return {static_cast<W>(-mean_product * row.scale * row.scale), W(0)};
}

}  // namespace myops::cuda
