#include "backend_cpu/gelu_and_mul_kernel.h"

#include <numbers>

#include "tests/ops/gated_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

constexpr long double kSqrt2 = std::numbers::sqrt2_v<long double>;
constexpr long double kPerSqrtPi = std::numbers::inv_sqrtpi_v<long double>;

long double exact_normal(long double x) { return std::erfc(-x / kSqrt2) / 2; }

constexpr ExactActivation kGelu{
    [](long double x) { return x * exact_normal(x); },
    [](long double x) { return exact_normal(x) + x * std::exp(-x * x / 2) * kPerSqrtPi / kSqrt2; },
};

long double twice_u(long double x) { return 2 * kSqrt2 * kPerSqrtPi * (x + 0.044715L * x * x * x); }

constexpr ExactActivation kGeluOfTanh{
    [](long double x) { return x * exact_logistic(twice_u(x)); },
    [](long double x) {
      const long double slope = 2 * kSqrt2 * kPerSqrtPi * (1 + 3 * 0.044715L * x * x);
      return exact_logistic(twice_u(x)) + x * exact_logistic(twice_u(x)) * exact_logistic(-twice_u(x)) * slope;
    },
};

// In double the relative error grows in the tail as the exponent does; inputs here go down to about -13.
template <class T>
constexpr long double kUlps = std::is_same_v<T, double> ? 400.0L : 6.0L;

template <class T>
class GeluAndMulKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(GeluAndMulKernelTest, FloatingTypes);

TYPED_TEST(GeluAndMulKernelTest, MatchesLongDouble) {
  expect_values<GeluOfNormal, TypeParam>(kGelu, kUlps<TypeParam>);
  expect_values<GeluOfTanh, TypeParam>(kGeluOfTanh, kUlps<TypeParam>);
}

TYPED_TEST(GeluAndMulKernelTest, GradientsMatchLongDouble) {
  expect_gradients<GeluOfNormal, TypeParam>(kGelu, kUlps<TypeParam>);
  expect_gradients<GeluOfTanh, TypeParam>(kGeluOfTanh, kUlps<TypeParam>);
}

TYPED_TEST(GeluAndMulKernelTest, StridesDoNotChangeABit) {
  expect_strides_not_to_change_a_bit<GeluOfNormal, TypeParam>();
  expect_strides_not_to_change_a_bit<GeluOfTanh, TypeParam>();
}

TYPED_TEST(GeluAndMulKernelTest, RangesOfPiecesMakeUpTheWhole) {
  expect_ranges_of_pieces_to_make_up_the_whole<GeluOfNormal, TypeParam>();
  expect_ranges_of_pieces_to_make_up_the_whole<GeluOfTanh, TypeParam>();
}

TEST(GeluAndMulKernel, FarOut) {
  expect_far_out<GeluOfNormal, float>();
  expect_far_out<GeluOfNormal, double>();
  expect_far_out<GeluOfTanh, float>();
  expect_far_out<GeluOfTanh, double>();
}

// The largest error of a value in units of its last place, for x from `begin` to `end`.
template <class Activation>
long double largest_error(const ExactActivation& exact, float begin, float end) {
  long double largest = 0;
  for (float x = begin; x < end; x += 1.3e-4F) {
    const long double expected = exact.value(x);
    const long double error = std::fabs(to_long_double(Activation::value(x)) - expected) / ulp<float>(expected);
    largest = error <= largest ? largest : error;  // NaN counts as larger
  }
  return largest;
}

// (1 + erf(x / √2)) / 2 in float has no digit left at -5.5.
TEST(GeluAndMulKernel, TailsKeepTheirDigits) {
  EXPECT_LT((largest_error<GeluOfNormal>(kGelu, -15, -3)), 6);
  EXPECT_LT((largest_error<GeluOfNormal>(kGelu, -3, 20)), 5);
  EXPECT_LT((largest_error<GeluOfTanh>(kGeluOfTanh, -12, 20)), 4);
}

}  // namespace
}  // namespace myops::cpu
