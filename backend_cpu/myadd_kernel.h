// The arithmetic of myadd on one pair of elements, in the type they are computed in (number_conversion.h).
#pragma once

namespace myops::cpu {

struct Add {
  template <class W>
  W operator()(W self, W other) const {
    return self + other;
  }
};

}  // namespace myops::cpu
