// layer_norm over a row: (input - mean) / sqrt(variance + eps) · weight + bias. Squares beyond float's range
// (deviations above 1.8e19) give NaN, and so may the sum of 1024 of them.
#pragma once

#include "backend_cuda/inverse_root_math.h"
#include "backend_cuda/moments_math.h"

namespace myops::cuda {

// Two passes, so that a large mean does not cancel; the second also sums the deviations themselves, which corrects the
// mean (Chan, Golub and LeVeque 1983, "corrected two-pass algorithm"). `deviations`: Σ (input - mean), `squares`: Σ
// (input - mean)², `per_element`: 1 / size.
template <class W>
MYOPS_HD Moments<W> layer_moments(W mean, double deviations, double squares, double per_element, double eps) {
  const double shift = deviations * per_element;
  const double variance = squares * per_element - shift * shift;
  // Not max: NaN must stay NaN. Zero times an infinite variance is NaN too.
  const W scale = inverse_root<W>((variance < 0 ? 0 : variance) + 0 * variance + eps);
  return {mean, scale, static_cast<W>(-shift * scale)};
}

// `slopes`: Σ g, `products`: Σ g · (input - mean), with g = grad · weight. With s = 1 / std and x̂ = s (input - mean):
// d input = s (g - ⟨g⟩ - x̂ ⟨g x̂⟩), where ⟨·⟩ is the mean over the row.
template <class W>
MYOPS_HD RowGradient<W> layer_gradient(double slopes, double products, const Moments<W>& row, double per_element) {
  const double mean_product = (products * row.scale + slopes * row.offset) * per_element;  // ⟨g x̂⟩
  return {static_cast<W>(-mean_product * row.scale * row.scale),
          static_cast<W>(-(slopes * per_element + mean_product * row.offset) * row.scale)};
}

}  // namespace myops::cuda
