// silu(x) = x / (1 + exp(-x)) and its derivative, as gated_loop.h takes them.
#pragma once

#include <cmath>

#include "backend_cpu/gated_loop.h"
#include "backend_cpu/logistic.h"

namespace myops::cpu {

struct Silu {
  template <class W>
  MYOPS_INLINE static W value(W x) {
    return times_logistic(x, Exponent<W>{-std::abs(x), 0});
  }
  template <class W>
  MYOPS_INLINE static ValueAndSlope<W> value_and_slope(W x) {
    return times_logistic_with_slope<W>(x, {-std::abs(x), 0}, 1);
  }
};

}  // namespace myops::cpu
