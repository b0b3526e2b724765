// The distribution function of the standard normal distribution, Φ(x) = (1 + erf(x / √2)) / 2, for gelu, which is
// x Φ(x). Where x is negative that formula cancels, so the tail is computed by itself:
//   Φ(-t) = exp(-t² / 2) R(t),   R(t) (t + 2.5) = a polynomial in t / (t + 2.5)   for t from 0 to 14.5,
// a form as in Shepherd and Laframboise 1981, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 <= x < ∞". The
// coefficients are our own: Remez' algorithm, for the smallest relative error, which is 0.26 · 2⁻²⁴.
// In float x Φ(x) is within 5 ulps down to x = -3, within 6 below. In double erfc of libm is called for each element:
// no vectors, the bits of the libm in use, and a relative error that grows as x² (2000 ulps at -37).
#pragma once

#include <cmath>

#include "backend_cpu/exponential.h"

namespace myops::cpu {

template <class W>
struct NormalDistribution {
  W below;     // Φ(x)
  W density;   // exp(-x² / 2) / √(2π)
  W weighted;  // x Φ(x), rounded once more only where it is denormal
};

// R(t), good for t from 0 to 14.5; beyond, where exp(-t² / 2) rounds to 0, it stays finite.
MYOPS_INLINE float normal_tail_ratio(float t) {
  const float inverse = 1 / (t + 2.5F);
  const float u = t * inverse;
  float sum = -0x1.49d04ap-4F;
  sum = sum * u + 0x1.218c82p-2F;
  sum = sum * u + -0x1.466a9p-2F;
  sum = sum * u + 0x1.257c2p-3F;
  sum = sum * u + -0x1.390c26p-3F;
  sum = sum * u + 0x1.d4181cp-5F;
  sum = sum * u + 0x1.2aa2aep-2F;
  sum = sum * u + 0x1.5b68acp-3F;
  sum = sum * u + -0x1.3e4f0ap+0F;
  sum = sum * u + 0x1.4p+0F;
  return sum * inverse;
}

// At -∞ `weighted` is NaN, as x Φ(x) is; so is x · density at both infinities.
MYOPS_INLINE NormalDistribution<float> normal_distribution(float x) {
  const float t = clamp(std::abs(x), 0.0F, 18.75F);  // exp(-t² / 2) is exactly 0 there, and R finite
  const double wide = t;
  const auto bell = exponential(exponent<float>(-0.5 * wide * wide));
  const float ratio = normal_tail_ratio(t);
  const float tail = bell.times(ratio);
  const float weighted_tail = bell.times(ratio * x);
  const float below = select(x < 0, tail, 1 - tail);
  const float weighted = select(x < 0, weighted_tail, x * (1 - tail));
  return {below, bell.times(0x1.988454p-2F), weighted};
}

MYOPS_INLINE NormalDistribution<double> normal_distribution(double x) {
  const double below = 0.5 * std::erfc(x * -0x1.6a09e667f3bcdp-1);
  return {below, exponential(-0.5 * x * x).times(0x1.9884533d43651p-2), x * below};
}

}  // namespace myops::cpu
