// gelu(x) = x Φ(x) (Hendrycks and Gimpel 2016, arXiv:1606.08415), its approximation by tanh, and their derivatives, in
// the computing type: float, or double for float64.
#pragma once

#include "backend_cuda/silu_and_mul_math.h"

namespace myops::cuda {

// approximate='none'. Φ(x) = erfc(-x / √2) / 2: erfc rather than 1 + erf, which cancels for negative x. The slope is
// NaN at both infinities, where x · density is ∞ times 0, as on CPU and in ATen.
struct Gelu {
  template <class W>
  MYOPS_HD static W value(W x) {
    return x * below(x);
  }
  template <class W>
  MYOPS_HD static ValueAndSlope<W> value_and_slope(W x) {
    constexpr W kDensityAtZero = W(0.39894228040143267794);  // 1 / √(2π)
    const W share = below(x);
    return {x * share, share + x * (kDensityAtZero * std::exp(W(-0.5) * x * x))};
  }

 private:
  template <class W>
  MYOPS_HD static W below(W x) {
    return W(0.5) * std::erfc(x * W(-0.70710678118654752440));
  }
};

// approximate='tanh': x (1 + tanh u) / 2 with u = √(2/π) (x + 0.044715 x³); (1 + tanh u) / 2 = σ(2u), which does not
// cancel.
struct GeluTanh {
  template <class W>
  MYOPS_HD static W value(W x) {
    return x * logistic(twice_u(bounded(x)));
  }
  template <class W>
  MYOPS_HD static ValueAndSlope<W> value_and_slope(W x) {
    const W c = bounded(x);
    const W share = logistic(twice_u(c));
    const W slope = W(kTwice) * (W(1) + W(3 * kCubic) * (c * c));
    return {x * share, share + x * share * logistic(-twice_u(c)) * slope};
  }

 private:
  static constexpr double kTwice = 1.5957691216057307;  // 2 √(2/π)
  static constexpr double kCubic = 0.044715;

  // Beyond 32 σ(2u) is 0 or 1; c² must stay finite, for 0 times infinity is NaN.
  template <class W>
  MYOPS_HD static W bounded(W x) {
    return x > W(32) ? W(32) : x < W(-32) ? W(-32) : x;
  }
  template <class W>
  MYOPS_HD static W twice_u(W c) {
    return W(kTwice) * c * (W(1) + W(kCubic) * (c * c));
  }
};

}  // namespace myops::cuda
