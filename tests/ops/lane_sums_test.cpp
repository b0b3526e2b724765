#include "backend_cpu/lane_sums.h"

#include <cmath>

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using testing::normal_values;
using testing::to_long_doubles;

long double magnitude_of(const std::vector<long double>& values) {
  long double sum = 0;
  for (const long double value : values) {
    sum += std::fabs(value);
  }
  return sum;
}

TEST(LaneSums, AddsEveryCountOfTerms) {
  for (int64_t count = 0; count <= 2 * kTermsPerBlock + kLanes + 1; ++count) {
    ASSERT_EQ(sum_of<float>(count, [](int64_t i) { return static_cast<float>(i % 5); }), [count] {
      double expected = 0;
      for (int64_t i = 0; i < count; ++i) {
        expected += static_cast<double>(i % 5);
      }
      return expected;
    }()) << count;
  }
}

// The bound stated in lane_sums.h, with terms that a plain float loop would add with an error a thousand times larger.
TEST(LaneSums, KeepsItsErrorBoundForAMillionTerms) {
  constexpr int64_t kCount = 1000003;
  const auto values = normal_values<float>(kCount, 1, 1.0, 0.1);
  const auto exact = to_long_doubles(values);
  const double sum = sum_of<float>(kCount, [&](int64_t i) { return values[i]; });
  const long double bound = 70 * std::ldexp(1.0L, -24) * magnitude_of(exact);
  EXPECT_LE(std::fabs(sum - testing::sum_of_all(exact)), bound);
  float plain = 0;
  for (const float value : values) {
    plain += value;
  }
  EXPECT_GT(std::fabs(plain - testing::sum_of_all(exact)), 10 * std::fabs(sum - testing::sum_of_all(exact)));
}

TEST(LaneSums, TwoSumsAreThoseOfOnePassEach) {
  const auto values = normal_values<float>(2051, 2);
  const auto first = [&](int64_t i) { return values[i]; };
  const auto second = [&](int64_t i) { return values[i] * values[i]; };
  const auto both = sums_of<float>(2051, first, second);
  EXPECT_EQ(both[0], sum_of<float>(2051, first));
  EXPECT_EQ(both[1], sum_of<float>(2051, second));
}

TEST(LaneSums, IntegersWrapAround) {
  const uint64_t sum = sum_of<uint64_t>(3, [](int64_t) { return uint64_t{1} << 63; });
  EXPECT_EQ(sum, uint64_t{1} << 63);
}

}  // namespace
}  // namespace myops::cpu
