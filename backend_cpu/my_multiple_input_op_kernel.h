// The arithmetic of my_multiple_input_op on one pair of elements, in the type they are computed in
// (number_conversion.h).
#pragma once

namespace myops::cpu {

struct MultiplyThenAdd {
  template <class W>
  W operator()(W t0, W t1) const {
    return t0 * t1 + t0;
  }
};

}  // namespace myops::cpu
