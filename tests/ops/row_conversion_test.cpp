// Compiled for each CPU level, since the code is another for each.
#include "backend_cpu/row_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace myops::cpu {
namespace {

TEST(RowConversion, WidensEveryHalf) {
  std::vector<c10::Half> halves(0x10000);
  for (uint32_t bits = 0; bits < halves.size(); ++bits) halves[bits].x = static_cast<unsigned short>(bits);
  std::vector<float> wide(halves.size());
  widen_row(halves.data(), static_cast<int64_t>(halves.size()), wide.data());
  for (uint32_t bits = 0; bits < halves.size(); ++bits) {
    const float expected = widen(halves[bits]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(wide[bits])) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(wide[bits]), std::bit_cast<uint32_t>(expected)) << bits;
    }
  }
}

TEST(RowConversion, NarrowsToTheBitsOfTheSingleConversion) {
  constexpr uint64_t kStep = 977;
  constexpr int64_t kRow = 4099;  // no multiple of a vector
  std::vector<float> wide(kRow);
  std::vector<c10::Half> halves(kRow);
  for (uint64_t first = 0; first < 0x100000000; first += kStep * kRow) {
    for (int64_t i = 0; i < kRow; ++i) wide[i] = std::bit_cast<float>(static_cast<uint32_t>(first + kStep * i));
    narrow_row(wide.data(), kRow, halves.data());
    for (int64_t i = 0; i < kRow; ++i) ASSERT_EQ(halves[i].x, narrow<c10::Half>(wide[i]).x) << wide[i];
  }
}

TEST(RowConversion, TouchesNothingBehindTheRow) {
  for (int64_t count = 0; count < 70; ++count) {
    std::vector<c10::Half> halves(count + 1, c10::Half(3.0F));
    std::vector<float> wide(count + 1, 7.0F);
    widen_row(halves.data(), count, wide.data());
    EXPECT_EQ(wide[count], 7.0F);
    std::fill(wide.begin(), wide.end(), 5.0F);
    narrow_row(wide.data(), count, halves.data());
    EXPECT_EQ(static_cast<float>(halves[count]), 3.0F);
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(static_cast<float>(halves[i]), 5.0F);
  }
}

}  // namespace
}  // namespace myops::cpu
