#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "backend_cuda/inverse_root_math.h"
#include "backend_cuda/round_to_odd.h"
#include "tests/ops/oracle.h"

namespace myops::cuda {
namespace {

// Doubles with any exponent and mantissa.
std::vector<double> any_doubles(int count) {
  std::mt19937_64 generator(5);
  std::vector<double> values;
  while (static_cast<int>(values.size()) < count) {
    const double value = std::bit_cast<double>(generator());
    if (std::isfinite(value)) values.push_back(std::fabs(value));
  }
  return values;
}

TEST(CudaInverseRoot, IsTheRoundedOne) {
  std::vector<double> values = any_doubles(200000);
  for (const double value : {0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1, 1.0, 0x1.fffffffffffffp+1, 4.0, 2.0, 1e-60}) {
    values.push_back(value);
  }
  for (const double value : values) {
    const long double expected = 1 / std::sqrt(static_cast<long double>(value));
    if (expected < static_cast<long double>(std::numeric_limits<float>::max())) {
      ASSERT_LE(std::fabs(inverse_root<float>(value) - expected), 0.5001L * testing::ulp<float>(expected)) << value;
    } else {
      ASSERT_EQ(inverse_root<float>(value), INFINITY) << value;
    }
    ASSERT_LE(std::fabs(inverse_root<double>(value) - expected), 1.5L * testing::ulp<double>(expected)) << value;
  }
  EXPECT_EQ(inverse_root<float>(0), INFINITY);
  EXPECT_EQ(inverse_root<float>(INFINITY), 0);
  EXPECT_TRUE(std::isnan(inverse_root<float>(std::nan(""))));
  EXPECT_TRUE(std::isnan(inverse_root<float>(-1)));
}

// The value of T that is nearest, ties to even, by exact arithmetic.
template <class T>
long double nearest(double value) {
  const long double step = testing::ulp<T>(value);
  return std::nearbyint(static_cast<long double>(value) / step) * step;
}

template <class T>
class CudaRoundToOdd : public ::testing::Test {};
using LowPrecision = ::testing::Types<c10::Half, c10::BFloat16>;
TYPED_TEST_SUITE(CudaRoundToOdd, LowPrecision);

TYPED_TEST(CudaRoundToOdd, MakesTwoRoundingsOne) {
  using T = TypeParam;
  std::mt19937_64 generator(6);
  const auto expect_once = [](double value) {
    ASSERT_EQ(testing::to_long_double(cpu::narrow<T>(round_to_odd(value))), nearest<T>(value)) << value;
  };
  for (int i = 0; i < 100000; ++i) {
    const int exponent = static_cast<int>(generator() % 40) - 26;  // float16's denormals too
    const auto whole = static_cast<double>(generator() % 4096);
    const double tie = std::ldexp(whole + 0.5, exponent - 12);
    if (std::fabs(tie) > 60000) continue;
    for (const double value : {tie, tie + std::ldexp(1.0, exponent - 50), tie - std::ldexp(1.0, exponent - 50)}) {
      expect_once(value);
      expect_once(-value);
    }
  }
}

TEST(CudaRoundToOddOfAnything, LeavesFloatsAndNoNumbersAsTheyAre) {
  for (const float value : {0.0F, -0.0F, 1.0F, 0x1p-149F, 0x1.fffffep127F, INFINITY, -INFINITY}) {
    EXPECT_EQ(std::bit_cast<uint32_t>(round_to_odd(value)), std::bit_cast<uint32_t>(value));
  }
  EXPECT_TRUE(std::isnan(round_to_odd(std::nan(""))));
  EXPECT_EQ(round_to_odd(1e300), std::numeric_limits<float>::max());  // to infinity in a narrower dtype
  EXPECT_EQ(round_to_odd(-1e-300), -0x1p-149F);
}

}  // namespace
}  // namespace myops::cuda
