// layer_norm over a row: (input - mean) / sqrt(variance + eps) · weight + bias.
#pragma once

#include "backend_cuda/moments_math.h"

namespace myops::cuda {

// Two passes, so that a large mean does not cancel; the second also sums the deviations themselves, which corrects the
// mean (Chan, Golub and LeVeque 1983, "corrected two-pass algorithm"). `deviations`: Σ (input - mean), `squares`: Σ
// (input - mean)².
template <class W>
MYOPS_HD Moments<W> layer_moments(W mean, W deviations, W squares, W size, W eps) {
  const W shift = deviations / size;
  const W variance = squares / size - shift * shift;
  const W scale = W(1) / std::sqrt((variance < W(0) ? W(0) : variance) + eps);  // not max: NaN must stay NaN
  return {mean, scale, -shift * scale};
}

// `slopes`: Σ g, `products`: Σ g · (input - mean), with g = grad · weight. With s = 1 / std and x̂ = s (input - mean):
// d input = s (g - ⟨g⟩ - x̂ ⟨g x̂⟩), where ⟨·⟩ is the mean over the row.
template <class W>
MYOPS_HD RowGradient<W> layer_gradient(W slopes, W products, const Moments<W>& row, W size) {
  const W mean_product = (products * row.scale + slopes * row.offset) / size;  // ⟨g x̂⟩
  return {-mean_product * row.scale * row.scale, -(slopes / size + mean_product * row.offset) * row.scale};
}

}  // namespace myops::cuda
