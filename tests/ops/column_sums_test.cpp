#include "backend_cpu/column_sums.h"

#include <cmath>

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

TEST(ColumnSums, AddsRowsBeforeAndAfterTotalsAreAskedFor) {
  ColumnSums<float> sums(3);
  EXPECT_THAT(sums.totals(), ::testing::ElementsAre(0, 0, 0));
  for (int row = 0; row < 2 * kRowsPerBlock + 1; ++row) {
    sums.add_row([](int64_t i) { return static_cast<float>(i); });
  }
  EXPECT_THAT(sums.totals(), ::testing::ElementsAre(0, 129, 258));
  sums.add_row([](int64_t) { return 1.0F; });
  EXPECT_THAT(sums.totals(), ::testing::ElementsAre(1, 130, 259));
}

// 64 float additions round at most 64 times; a million would not.
TEST(ColumnSums, StaysAccurateOverAMillionRows) {
  constexpr int64_t kRows = 1000000;
  ColumnSums<float> sums(1);
  for (int64_t row = 0; row < kRows; ++row) {
    sums.add_row([](int64_t) { return 0.1F; });
  }
  const long double expected = static_cast<long double>(0.1F) * kRows;
  EXPECT_LE(std::fabs(sums.totals()[0] - expected) / expected, 64 * std::ldexp(1.0L, -24));
}

}  // namespace
}  // namespace myops::cpu
