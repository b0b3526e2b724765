#include "backend_cpu/exponential.h"

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

// The largest errors in units of the last place of the result, where that is normal and where it is denormal.
struct Errors {
  long double normal = 0;
  long double denormal = 0;

  template <class W>
  void add(W got, long double expected) {
    const long double error = std::fabs(to_long_double(got) - expected) / ulp<W>(expected);
    long double& largest = expected < std::numeric_limits<W>::min() ? denormal : normal;
    largest = error <= largest ? largest : error;  // NaN counts as larger
  }
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kStep = 977;

TEST(Exponential, FloatIsWithinAnUlp) {
  Errors errors;
  for (uint64_t bits = 0; bits < 0x100000000; bits += kStep) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (x > -104 && x < 88.7228F) {
      errors.add(exponential(x).value(), std::exp(static_cast<double>(x)));
    }
  }
  for (float x = -104; x < 88.7228F; x += 1e-4F) {
    errors.add(exponential(x).value(), std::exp(static_cast<double>(x)));
  }
  EXPECT_LT(errors.normal, 1.01);
  EXPECT_LT(errors.denormal, 1);
}

TEST(Exponential, DoubleIsWithinAnUlp) {
  Errors errors;
  for (double x = -746; x < 709.78; x += 1.37e-3) {
    errors.add(exponential(x).value(), std::exp(static_cast<long double>(x)));
  }
  for (double x = 1; x > 1e-300; x /= 1.9) {
    errors.add(exponential(x).value(), std::exp(static_cast<long double>(x)));
    errors.add(exponential(-x).value(), std::exp(static_cast<long double>(-x)));
  }
  EXPECT_LT(errors.normal, 1);
  EXPECT_LT(errors.denormal, 1);
}

template <class W>
void expect_edges(W largest, W overflowing, W smallest, W underflowing) {
  const auto exp_of = [](W x) { return exponential(x).value(); };
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-static_cast<W>(0)), 1);
  EXPECT_EQ(exp_of(std::numeric_limits<W>::denorm_min()), 1);
  EXPECT_TRUE(std::isfinite(exp_of(largest)));
  EXPECT_EQ(exp_of(overflowing), static_cast<W>(kInfinity));
  EXPECT_EQ(exp_of(std::numeric_limits<W>::max()), static_cast<W>(kInfinity));
  EXPECT_EQ(exp_of(static_cast<W>(kInfinity)), static_cast<W>(kInfinity));
  EXPECT_EQ(exp_of(smallest), std::numeric_limits<W>::denorm_min());
  EXPECT_EQ(exp_of(underflowing), 0);
  EXPECT_EQ(exp_of(std::numeric_limits<W>::lowest()), 0);
  EXPECT_EQ(exp_of(static_cast<W>(-kInfinity)), 0);
  EXPECT_TRUE(std::isnan(exp_of(static_cast<W>(kNan))));
  EXPECT_TRUE(std::isnan(exp_of(-static_cast<W>(kNan))));
  EXPECT_TRUE(std::isnan(exponential(static_cast<W>(-kInfinity)).times(static_cast<W>(kInfinity))));
}

TEST(Exponential, Edges) {
  expect_edges<float>(88.722831F, 88.722840F, -103.97F, -103.98F);
  expect_edges<double>(709.782712893383, 709.782712893385, -745.13, -745.14);
}

// An argument of 100 that was rounded to float alone would cost 2⁻¹⁸ of the result, 64 ulps.
TEST(Exponential, ArgumentsComputedInDoubleLoseNothing) {
  Errors errors;
  for (double x = -87; x < 88; x += 1.3e-3) {
    errors.add(exponential(exponent<float>(x)).value(), std::exp(static_cast<long double>(x)));
  }
  EXPECT_LT(errors.normal, 1.1);
}

TEST(Exponential, ProductsAreRoundedToADenormalOnce) {
  for (float x = -90; x > -108; x -= 0.01F) {
    const long double expected = std::exp(static_cast<long double>(x)) * -x;
    ASSERT_LE(std::fabs(to_long_double(exponential(x).times(-x)) - expected), 1.6L * ulp<float>(expected)) << x;
  }
}

}  // namespace
}  // namespace myops::cpu
