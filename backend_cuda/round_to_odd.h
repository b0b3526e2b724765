// From double to float in such a way that rounding the float once more, to a dtype with at least two bits less, gives
// what rounding the double at once would: to nearest twice may go the wrong way where the first hits a tie.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "backend_cuda/host_device.h"

namespace myops::cuda {

// Of the two floats around what is no float, the one whose last bit is 1 (Boldo and Melquiond 2008, "Emulation of a FMA
// and correctly rounded sums: proved algorithms using rounding to odd").
MYOPS_HD inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &nearest, sizeof bits);
  if (static_cast<double>(nearest) == value || value != value || (bits & 1) != 0) {
    return nearest;
  }
  bits += std::abs(static_cast<double>(nearest)) < std::abs(value) ? 1U : ~0U;
  float odd = 0;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

}  // namespace myops::cuda
