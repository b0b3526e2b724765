#include <cmath>

#include "backend_cpu/gelu_and_mul_kernel.h"
#include "backend_cpu/silu_and_mul_kernel.h"
#include "backend_cuda/gelu_and_mul_math.h"
#include "tests/ops/oracle.h"

namespace myops::cuda {
namespace {

// `condition`: how much exp or erfc magnify the rounding of their argument.
struct Reference {
  long double value;
  long double slope;
  long double condition;
};

Reference silu(long double x) {
  const long double share = 1 / (1 + std::exp(-x));
  return {x * share, share + x * share * (1 - share), 0};
}

Reference gelu(long double x) {
  const long double below = std::erfc(-x / std::sqrt(2.0L)) / 2;
  return {x * below, below + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L)), x < 0 ? x * x : 0};
}

Reference gelu_tanh(long double x) {
  const long double root = std::sqrt(2 / std::acos(-1.0L));
  const long double twice_u = 2 * root * (x + 0.044715L * x * x * x);
  const long double share = 1 / (1 + std::exp(-twice_u));
  const long double slope = 2 * root * (1 + 3 * 0.044715L * x * x);
  return {x * share, share + x * share * (1 - share) * slope, std::fabs(twice_u)};
}

// Relative to the value itself, down to the last normal one: the bounds that backend_cuda/README.md states.
template <class Function, class W>
void expect_close(Reference (*reference)(long double), W ulps) {
  for (double x = -40; x <= 40; x += 0.0371) {
    const W at = static_cast<W>(x);
    const Reference expected = reference(static_cast<long double>(at));
    const auto got = Function::value_and_slope(at);
    const long double allowed = ulps * (1 + expected.condition);
    const long double least = std::numeric_limits<W>::min() * (1 + std::fabs(static_cast<long double>(at)));
    EXPECT_EQ(got.value, Function::value(at));
    EXPECT_LE(std::fabs(got.value - expected.value),
              allowed * testing::ulp<W>(std::max(std::fabs(expected.value), least)))
        << "at " << x;
    const long double share = std::fabs(expected.value / at);  // one of the slope's two terms; they may cancel
    const long double terms = share + std::fabs(expected.slope - share);
    EXPECT_LE(std::fabs(got.slope - expected.slope), allowed * testing::ulp<W>(std::max(terms, least)))
        << "slope at " << x;
  }
}

TEST(GatedMath, MatchesLongDouble) {
  expect_close<Silu, double>(silu, 5);
  expect_close<Gelu, double>(gelu, 5);
  expect_close<GeluTanh, double>(gelu_tanh, 5);
  expect_close<Silu, float>(silu, 5);
  expect_close<Gelu, float>(gelu, 5);
  expect_close<GeluTanh, float>(gelu_tanh, 5);
}

template <class Function, class W>
void expect_ends() {
  const W huge = std::numeric_limits<W>::max();
  EXPECT_EQ(Function::value(huge), huge);
  EXPECT_EQ(Function::value(-huge), 0);
  EXPECT_EQ(Function::value_and_slope(huge).slope, 1);
  EXPECT_EQ(Function::value_and_slope(-huge).slope, 0);
  EXPECT_EQ(Function::value(W(0)), 0);
  EXPECT_EQ(Function::value_and_slope(W(0)).slope, W(0.5));
  EXPECT_TRUE(std::isnan(Function::value(std::numeric_limits<W>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(Function::value_and_slope(std::numeric_limits<W>::quiet_NaN()).slope));
}

TEST(GatedMath, EndsAreFinite) {
  expect_ends<Silu, float>();
  expect_ends<Silu, double>();
  expect_ends<Gelu, float>();
  expect_ends<Gelu, double>();
  expect_ends<GeluTanh, float>();
  expect_ends<GeluTanh, double>();
}

template <class W>
bool same_kind(W got, W expected) {
  if (std::isfinite(got) && std::isfinite(expected)) {
    const long double far = std::fabs(static_cast<long double>(got) - expected);
    return far <= 1e-5L * std::fabs(static_cast<long double>(expected)) + 1e-30L;  // exp is another one there
  }
  return std::isnan(got) ? std::isnan(expected) : got == expected;
}

// Infinities, NaN, zeros, denormal and extreme values as on CPU.
template <class Function, class CpuFunction, class W>
void expect_cpu_ends() {
  using Limits = std::numeric_limits<W>;
  for (const W least :
       {W(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), W(1), W(13), W(15), W(18.9), W(33), W(90), W(105),
        W(800), std::sqrt(Limits::max()), Limits::max() / 2, Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    for (const W x : {least, -least}) {
      const auto expected = CpuFunction::value_and_slope(x);
      const auto got = Function::value_and_slope(x);
      EXPECT_PRED2(same_kind<W>, Function::value(x), CpuFunction::value(x)) << "value at " << x;
      EXPECT_PRED2(same_kind<W>, got.value, expected.value) << "value at " << x;
      EXPECT_PRED2(same_kind<W>, got.slope, expected.slope) << "slope at " << x;
    }
  }
}

TEST(GatedMath, EndsAreThoseOfTheCpu) {
  expect_cpu_ends<Silu, cpu::Silu, float>();
  expect_cpu_ends<Silu, cpu::Silu, double>();
  expect_cpu_ends<Gelu, cpu::GeluOfNormal, float>();
  expect_cpu_ends<Gelu, cpu::GeluOfNormal, double>();
  expect_cpu_ends<GeluTanh, cpu::GeluOfTanh, float>();
  expect_cpu_ends<GeluTanh, cpu::GeluOfTanh, double>();
}

}  // namespace
}  // namespace myops::cuda
