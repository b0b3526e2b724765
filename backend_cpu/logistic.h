// x σ(z) with σ(z) = 1 / (1 + exp(-z)), where z is a function of x that has its sign: silu, and gelu in its
// approximation by tanh, for (1 + tanh u) / 2 = σ(2u).
#pragma once

#include "backend_cpu/exponential.h"

namespace myops::cpu {

// x σ(z). The exponential is that of -|z|, so it does not overflow, and the product is rounded to a denormal only once.
// NaN at -∞, where it is ∞ times 0.
template <class W>
MYOPS_INLINE W times_logistic(W x, Exponent<W> minus_magnitude) {
  const auto power = exponential(minus_magnitude);
  const W smaller = power.times(x);
  return select(x < 0, smaller, x) / (1 + power.value());
}

template <class W>
struct ValueAndSlope {
  W value;
  W slope;
};

// x σ(z) and its derivative σ + x σ (1 - σ) z', where `z_slope` is z'. Both NaN at -∞, the second at +∞ too.
template <class W>
MYOPS_INLINE ValueAndSlope<W> times_logistic_with_slope(W x, Exponent<W> minus_magnitude, W z_slope) {
  const auto power = exponential(minus_magnitude);
  const W larger = 1 / (1 + power.value());
  const W smaller = power.value() * larger;
  const W value = select(x < 0, power.times(x), x) * larger;
  return {value, select(x < 0, smaller, larger) + x * (smaller * larger) * z_slope};
}

}  // namespace myops::cpu
