// 1 / √x for the scale of a normalised row.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "backend_cuda/host_device.h"

namespace myops::cuda {

// 2^exponent, where that is a normal double.
MYOPS_HD inline double power_of_two(int64_t exponent) {
  const int64_t bits = (exponent + 1023) * (int64_t{1} << 52);
  double power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

template <class W>
MYOPS_HD W inverse_root(double x);

template <>
MYOPS_HD inline double inverse_root<double>(double x) {
  return 1 / std::sqrt(x);
}

// Within 0.5001 ulps, for any x that a double can be. With x = m · 4ⁿ the root of m is taken in float, and one step of
// Newton's in double brings back what that lost: 8 operations in double where its division and root take dozens.
template <>
MYOPS_HD inline float inverse_root<float>(double x) {
  int64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  const int64_t biased = bits >> 52;
  if (biased <= 0 || biased >= 2047) {  // zero, denormal, negative, infinity, NaN
    return static_cast<float>(1 / std::sqrt(x));
  }
  const int64_t n = (biased - 1023) >> 1;
  const double m = x * power_of_two(-2 * n);  // 1 to 4
  const double root = 1.0F / std::sqrt(static_cast<float>(m));
  return static_cast<float>(root * (1.5 - 0.5 * m * root * root) * power_of_two(-n));
}

}  // namespace myops::cuda
