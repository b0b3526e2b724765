// The arithmetic of myadd on one pair of elements, in the type they are computed in (numbers.cuh).
#pragma once

#include "backend_cuda/host_device.h"

namespace myops::cuda {

struct Add {
  template <class W>
  MYOPS_HD W operator()(W self, W other) const {
    return self + other;
  }
};

}  // namespace myops::cuda
