// The arithmetic of my_multiple_input_op on one pair of elements, in the type they are computed in (numbers.cuh).
#pragma once

#include "backend_cuda/host_device.h"

namespace myops::cuda {

struct MultiplyThenAdd {
  template <class W>
  MYOPS_HD W operator()(W t0, W t1) const {
    return t0 * t1 + t0;
  }
};

}  // namespace myops::cuda
