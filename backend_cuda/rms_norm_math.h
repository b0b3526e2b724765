// rms_norm over a row: input / sqrt(mean(input²) + eps) · weight. A sum of squares beyond float's range (|input|
// near 1.8e19 / sqrt(size)) gives 0.
#pragma once

#include "backend_cuda/moments_math.h"

namespace myops::cuda {

// `squares`: Σ input².
template <class W>
MYOPS_HD Moments<W> rms_moments(W squares, W size, W eps) {
  return {W(0), W(1) / std::sqrt(squares / size + eps), W(0)};
}

// `products`: Σ g · input, with g = grad · weight. With s = 1 / rms and x̂ = s · input: d input = s (g - x̂ ⟨g x̂⟩),
// where ⟨·⟩ is the mean over the row.
template <class W>
MYOPS_HD RowGradient<W> rms_gradient(W products, const Moments<W>& row, W size) {
  const W mean_product = products * row.scale / size;
  return {-mean_product * row.scale * row.scale, W(0)};
}

}  // namespace myops::cuda
