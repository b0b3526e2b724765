// gelu(x) = x Φ(x) (Hendrycks and Gimpel 2016, arXiv:1606.08415), its approximation by tanh, and their derivatives, as
// gated_loop.h takes them.
#pragma once

#include <cmath>

#include "backend_cpu/gated_loop.h"
#include "backend_cpu/logistic.h"
#include "backend_cpu/normal_distribution.h"

namespace myops::cpu {

// approximate='none'
struct GeluOfNormal {
  template <class W>
  MYOPS_INLINE static W value(W x) {
    return normal_distribution(x).weighted;
  }
  template <class W>
  MYOPS_INLINE static ValueAndSlope<W> value_and_slope(W x) {
    const auto normal = normal_distribution(x);
    return {normal.weighted, normal.below + x * normal.density};
  }
};

// approximate='tanh': x (1 + tanh u) / 2 with u = √(2/π) (x + 0.044715 x³).
struct GeluOfTanh {
  template <class W>
  MYOPS_INLINE static W value(W x) {
    return times_logistic(x, minus_twice_u(clamped(x)));
  }
  template <class W>
  MYOPS_INLINE static ValueAndSlope<W> value_and_slope(W x) {
    const W c = clamped(x);
    const W twice_u_slope = static_cast<W>(kTwice) * (1 + static_cast<W>(3 * kCubic) * (c * c));
    return times_logistic_with_slope(x, minus_twice_u(c), twice_u_slope);
  }

 private:
  static constexpr double kTwice = 0x1.9884533d43651p+0;  // 2 √(2/π)
  static constexpr double kCubic = 0.044715;

  // Beyond 32 exp(-|2u|) is 0 in float and in double; x² must stay finite, for 0 times infinity is NaN.
  template <class W>
  MYOPS_INLINE static W clamped(W x) {
    return clamp<W>(x, -32, 32);
  }
  // -|2u|, in double: its rounding would be magnified by its size.
  template <class W>
  MYOPS_INLINE static Exponent<W> minus_twice_u(W c) {
    const double x = std::abs(c);
    return exponent<W>(-kTwice * x * (1 + kCubic * (x * x)));
  }
};

}  // namespace myops::cpu
