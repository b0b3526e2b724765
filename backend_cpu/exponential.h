// exp as a polynomial without branches or table, so that the compiler makes vectors of the loops around it. Every CPU
// level gives the same bits: there is no call into libm and nothing to fuse.
//
// x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts of which n times the first is exact (Cody and Waite 1980,
// "Software Manual for the Elementary Functions"); exp(r) is its Taylor series, whose first term left out is below a
// tenth of an ulp. The error is below 1.01 ulps in float (1.1 with an argument in two parts), below 1 in double and
// where the result is denormal.
#pragma once

#include "backend_cpu/number_conversion.h"

namespace myops::cpu {

template <class W>
struct ExponentialConstants;

template <>
struct ExponentialConstants<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
  static constexpr Bits kEven = 512;                  // makes every n positive, and is even
  static constexpr float kSmallest = -176;            // n = -254: a factor of exactly 0
  static constexpr float kLargest = 89;               // n = 128: infinity, but for arguments whose exp is finite
  static constexpr float kRound = 0x1.8p23F;          // adding it rounds to an integer, in the low bits
  static constexpr float kLn2High = 0x1.63p-1F;       // 10 bits
  static constexpr float kLn2Low = -0x1.bd0106p-13F;  // ln 2 - kLn2High
  static constexpr float kPerLn2 = 0x1.715476p+0F;    // 1 / ln 2
  static constexpr int kTerms = 7;
};

template <>
struct ExponentialConstants<double> {
  using Bits = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr Bits kEven = 4096;
  static constexpr double kSmallest = -1418;
  static constexpr double kLargest = 710;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kPerLn2 = 0x1.71547652b82fep+0;
  static constexpr int kTerms = 13;
};

// With masks: what is needed for one of the two only, or is constant for one, the compiler would compute behind a
// branch. (Of double, SSE2 makes no such masks: loops with it become vectors from x86-64-v2 on.)
template <class W>
MYOPS_INLINE W select(bool condition, W yes, W no) {
  using Bits = typename ExponentialConstants<W>::Bits;
  const Bits mask = -static_cast<Bits>(condition);
  return std::bit_cast<W>((std::bit_cast<Bits>(yes) & mask) | (std::bit_cast<Bits>(no) & ~mask));
}

// NaN stays NaN.
template <class W>
MYOPS_INLINE W clamp(W x, W least, W largest) {
  x = select(x < least, least, x);
  return select(x > largest, largest, x);
}

// An argument of the exponential: its value, and what rounding that to W left over.
template <class W>
struct Exponent {
  W high;
  W low;
};

// A float argument that was computed in double, finite; for double there is nothing left over.
template <class W>
MYOPS_INLINE Exponent<W> exponent(double x) {
  const auto high = static_cast<W>(x);
  return {high, static_cast<W>(x - static_cast<double>(high))};
}

// exp(x) in factors: significand · scale · scale, the scales being powers of two, so that a product with it is rounded
// to a denormal only once. 0 where exp is far below the smallest denormal (0 times infinity is then NaN, as it would be
// with exp itself).
template <class W>
struct Exponential {
  W significand;
  W first_scale;
  W second_scale;

  MYOPS_INLINE W value() const { return times(1); }
  MYOPS_INLINE W times(W factor) const { return factor * first_scale * significand * second_scale; }
};

// Σ r^(k - first) / k! for k from `first` to kTerms.
template <class W, int first>
MYOPS_INLINE W exponential_series(W r) {
  constexpr auto kFactorial = [] {
    double product = 1;
    for (int k = 2; k <= first; ++k) {
      product *= k;
    }
    return product;
  }();
  constexpr auto kTerm = static_cast<W>(1 / kFactorial);
  if constexpr (first == ExponentialConstants<W>::kTerms) {
    return kTerm;
  } else {
    return kTerm + r * exponential_series<W, first + 1>(r);
  }
}

// NaN stays NaN.
template <class W>
MYOPS_INLINE Exponential<W> exponential(Exponent<W> x) {
  using Constants = ExponentialConstants<W>;
  using Bits = typename Constants::Bits;
  const W high = clamp(x.high, Constants::kSmallest, Constants::kLargest);
  const W shifted = high * Constants::kPerLn2 + Constants::kRound;
  const W n = shifted - Constants::kRound;
  const W r = ((high - n * Constants::kLn2High) - n * Constants::kLn2Low) + x.low;
  const W significand = 1 + (r + r * r * exponential_series<W, 2>(r));
  // n in two halves: 2^n itself may be out of W's range. Unsigned, because SSE2 shifts 64 bits no other way.
  const Bits whole = std::bit_cast<Bits>(shifted) - std::bit_cast<Bits>(Constants::kRound) + Constants::kEven;
  const Bits half = whole >> 1;
  const Bits offset = Constants::kBias - Constants::kEven / 2;
  return {significand, std::bit_cast<W>((half + offset) << Constants::kMantissa),
          std::bit_cast<W>((whole - half + offset) << Constants::kMantissa)};
}

template <class W>
MYOPS_INLINE Exponential<W> exponential(W x) {
  return exponential(Exponent<W>{x, 0});
}

}  // namespace myops::cpu
