// Numbers to compare kernels with: pseudo-random rows, long double mathematics, and errors in units of the last place.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "backend_cpu/number_conversion.h"

namespace myops::testing {

// Bits of the mantissa, the hidden one included.
template <class T>
constexpr int precision() {
  if constexpr (std::is_same_v<T, c10::Half>) {
    return 11;
  } else if constexpr (std::is_same_v<T, c10::BFloat16>) {
    return 8;
  } else {
    return std::numeric_limits<T>::digits;
  }
}

// The distance between neighbouring values of T near `magnitude`, denormal ones included.
template <class T>
long double ulp(long double magnitude) {
  constexpr int kSmallest = std::is_same_v<T, c10::Half> ? -24
                            : std::is_same_v<T, double>  ? -1074
                            : std::is_same_v<T, float>   ? -149
                                                         : -133;
  int exponent = 0;
  std::frexp(std::fabs(magnitude), &exponent);
  return std::ldexp(1.0L, std::max(exponent - precision<T>(), kSmallest));
}

template <class T>
long double to_long_double(T value) {
  return static_cast<long double>(cpu::widen(value));
}

// Normal values of standard deviation 1, the same on every platform for one seed up to the rounding to T.
template <class T>
std::vector<T> normal_values(int64_t count, unsigned seed, double mean = 0, double deviation = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> distribution(mean, deviation);
  std::vector<T> values(count);
  for (T& value : values) {
    value = cpu::narrow<T>(static_cast<cpu::Wide<T>>(distribution(generator)));
  }
  return values;
}

template <class T>
std::vector<long double> to_long_doubles(const std::vector<T>& values) {
  std::vector<long double> out;
  for (const T value : values) {
    out.push_back(to_long_double(value));
  }
  return out;
}

inline long double sum_of_all(const std::vector<long double>& values) {
  long double sum = 0;
  for (const long double value : values) {
    sum += value;
  }
  return sum;
}

// Each value within `ulps` units of T's last place near `scale[i]`, the magnitude of the terms it is the sum of.
template <class T>
void expect_within(const std::vector<T>& got, const std::vector<long double>& expected,
                   const std::vector<long double>& scale, long double ulps) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const long double error = std::fabs(to_long_double(got[i]) - expected[i]) / ulp<T>(scale[i]);
    ASSERT_LE(error, ulps) << "at " << i << ": got " << to_long_double(got[i]) << ", expected " << expected[i];
  }
}

// x̂ of one row in long double: (x - mean) / sqrt(variance + eps), or without the mean for rms_norm.
inline std::vector<long double> normalised(const std::vector<long double>& x, bool centred, long double eps) {
  const auto count = static_cast<long double>(x.size());
  const long double mean = centred ? sum_of_all(x) / count : 0;
  long double squares = 0;
  for (const long double value : x) {
    squares += (value - mean) * (value - mean);
  }
  std::vector<long double> out;
  for (const long double value : x) {
    out.push_back((value - mean) / std::sqrt(squares / count + eps));
  }
  return out;
}

using FloatingTypes = ::testing::Types<float, double, c10::BFloat16, c10::Half>;

}  // namespace myops::testing
