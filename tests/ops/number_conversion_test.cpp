#include "backend_cpu/number_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace myops::cpu {
namespace {

// c10's own scalar conversions are the oracle, over all values where there are few and over a dense sample of float's
// bits.
constexpr uint32_t kStep = 977;

TEST(NumberConversion, WidensEveryHalfAsC10Does) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const c10::Half half(static_cast<unsigned short>(bits), c10::Half::from_bits());
    const float expected = c10::detail::fp16_ieee_to_fp32_value(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(widen(half))) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(widen(half)), std::bit_cast<uint32_t>(expected)) << bits;
    }
  }
}

#ifdef __SSE__
TEST(NumberConversion, KeepsDenormalHalvesWhereDenormalFloatsAreFlushed) {
  const unsigned int mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // flush to zero, denormals are zero: torch.set_flush_denormal(True)
  bool kept = true;
  for (uint32_t bits = 1; bits < 0x400; ++bits) {
    const c10::Half half(static_cast<unsigned short>(bits), c10::Half::from_bits());
    kept &= std::bit_cast<uint32_t>(widen(half)) == std::bit_cast<uint32_t>(std::ldexp(static_cast<float>(bits), -24));
  }
  _mm_setcsr(mode);
  EXPECT_TRUE(kept);
}
#endif

TEST(NumberConversion, NarrowsToHalfAsC10Does) {
  for (uint64_t bits = 0; bits < 0x100000000; bits += kStep) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    ASSERT_EQ(narrow<c10::Half>(value).x, c10::detail::fp16_ieee_from_fp32_value(value)) << bits;
  }
}

TEST(NumberConversion, NarrowsToBfloat16AsC10Does) {
  for (uint64_t bits = 0; bits < 0x100000000; bits += kStep) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    ASSERT_EQ(narrow<c10::BFloat16>(value).x, c10::BFloat16(value).x) << bits;
  }
}

// A float between would hit the tie, and the second rounding go to even.
TEST(NumberConversion, NarrowsADoubleOnce) {
  EXPECT_EQ(widen(narrow<c10::BFloat16>(1 + 0x1p-8)), 1.0F);
  EXPECT_EQ(widen(narrow<c10::BFloat16>(1 + 0x1p-8 + 0x1p-40)), 1 + 0x1p-7F);
  EXPECT_EQ(widen(narrow<c10::BFloat16>(-1 - 0x1p-8 - 0x1p-40)), -1 - 0x1p-7F);
  EXPECT_EQ(widen(narrow<c10::Half>(1 + 0x1p-11 + 0x1p-40)), 1 + 0x1p-10F);
  EXPECT_EQ(widen(narrow<c10::Half>(1 + 0x1.8p-10 - 0x1p-40)), 1 + 0x1p-10F);
  EXPECT_EQ(widen(narrow<c10::Half>(0x1p-25 + 0x1p-60)), 0x1p-24F);
  EXPECT_EQ(widen(narrow<c10::Half>(65520.0 - 0x1p-30)), 65504.0F);
  EXPECT_EQ(narrow<c10::Half>(1e300).x, 0x7c00);
  EXPECT_EQ(narrow<c10::BFloat16>(-1e300).x, 0xff80);
  EXPECT_EQ(narrow<c10::BFloat16>(std::numeric_limits<double>::quiet_NaN()).x, 0x7fc0);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto exact = std::bit_cast<float>(bits << 16);
    if (!std::isnan(exact)) {
      ASSERT_EQ(narrow<c10::BFloat16>(static_cast<double>(exact)).x, bits);
    }
  }
}

TEST(NumberConversion, RoundsTiesAtTheEdgesOfHalf) {
  const auto half_bits = [](float value) { return narrow<c10::Half>(value).x; };
  EXPECT_EQ(half_bits(65504.0F), 0x7bff);   // the largest
  EXPECT_EQ(half_bits(65519.99F), 0x7bff);  // still rounds down
  EXPECT_EQ(half_bits(65520.0F), 0x7c00);   // the tie goes to infinity
  EXPECT_EQ(half_bits(0x1p-24F), 0x0001);   // the smallest denormal
  EXPECT_EQ(half_bits(0x1p-25F), 0x0000);   // the tie goes to even
  EXPECT_EQ(half_bits(0x1.8p-24F), 0x0002);
  EXPECT_EQ(half_bits(-0.0F), 0x8000);
  EXPECT_EQ(half_bits(std::numeric_limits<float>::quiet_NaN()), 0x7e00);
}

TEST(NumberConversion, WidensIntegersWithTheirSign) {
  EXPECT_EQ(static_cast<int64_t>(widen(int8_t{-1})), -1);
  EXPECT_EQ(static_cast<int64_t>(widen(uint8_t{255})), 255);
  EXPECT_EQ(static_cast<int64_t>(widen(std::numeric_limits<int64_t>::min())), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(widen(true), 1U);
}

}  // namespace
}  // namespace myops::cpu
