// silu(x) = x / (1 + exp(-x)) and its derivative, in the computing type: float, or double for float64.
#pragma once

#include <cmath>

#include "backend_cuda/host_device.h"

namespace myops::cuda {

// An activation and its derivative at one place.
template <class W>
struct ValueAndSlope {
  W value;
  W slope;
};

// 1 / (1 + exp(-x)). exp of what is not positive, so that nothing overflows.
template <class W>
MYOPS_HD W logistic(W x) {
  const W small = std::exp(-std::abs(x));
  return (x < W(0) ? small : W(1)) / (W(1) + small);
}

struct Silu {
  template <class W>
  MYOPS_HD static W value(W x) {
    return x * logistic(x);
  }
  // d/dx x σ(x) = σ(x) (1 + x σ(-x)): σ(-x) rather than 1 - σ(x), which cancels.
  template <class W>
  MYOPS_HD static ValueAndSlope<W> value_and_slope(W x) {
    const W share = logistic(x);
    return {x * share, share * (W(1) + x * logistic(-x))};
  }
};

}  // namespace myops::cuda
