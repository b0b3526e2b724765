// Which type each dtype is computed in, and the way there and back. Header-only types of c10, no torch runtime.
#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

// These are called for each element: left to itself, the compiler keeps some of them as calls, and the loop around
// stays scalar.
#define MYOPS_INLINE [[gnu::always_inline]] inline

namespace myops::cpu {

// float for float16, bfloat16 and float32; double for double; for integers and bool uint64_t, which wraps around.
template <class T>
using Wide =
    std::conditional_t<std::is_same_v<T, double>, double, std::conditional_t<std::is_integral_v<T>, uint64_t, float>>;

// float16 without branches, so that the compiler can make vectors of it: c10's own, without F16C, is five times slower.
// A denormal is put behind the point of 0.5: no operand is a denormal float, which a user may have flushed to zero.
MYOPS_INLINE float widen(c10::Half value) {
  const int32_t magnitude = value.x & 0x7fff;
  const int32_t sign = (value.x & 0x8000) << 16;
  const int32_t normal = (magnitude << 13) + 0x38000000;  // the exponent's bias: 127 - 15
  const int32_t denormal = std::bit_cast<int32_t>(std::bit_cast<float>(magnitude | 0x3f000000) - 0.5F);
  const int32_t is_denormal = -static_cast<int32_t>(magnitude < 0x400);
  int32_t bits = (denormal & is_denormal) | (normal & ~is_denormal);
  bits |= magnitude >= 0x7c00 ? 0x7f800000 : 0;  // infinity and NaN
  return std::bit_cast<float>(bits | sign);
}
MYOPS_INLINE float widen(c10::BFloat16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.x) << 16); }
MYOPS_INLINE float widen(float value) { return value; }
MYOPS_INLINE double widen(double value) { return value; }
template <std::integral T>
MYOPS_INLINE uint64_t widen(T value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

// Round to nearest, ties to even, bit for bit as c10 does. Masks instead of conditions keep it free of branches.
MYOPS_INLINE c10::Half narrow_to_half(float value) {
  const int32_t bits = std::bit_cast<int32_t>(value);
  const int32_t magnitude = bits & 0x7fffffff;
  const int32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Adding 0.5 leaves a denormal's bits, rounded, at the low end of the mantissa.
  const int32_t denormal = std::bit_cast<int32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000;
  const int32_t is_denormal = -static_cast<int32_t>(magnitude < 0x38800000);
  const int32_t is_large = -static_cast<int32_t>(magnitude >= 0x47800000);
  const int32_t is_nan = -static_cast<int32_t>(magnitude > 0x7f800000);
  int32_t rounded = (denormal & is_denormal) | (normal & ~is_denormal);
  rounded = (0x7c00 & is_large) | (rounded & ~is_large);
  rounded |= 0x200 & is_nan;
  return c10::Half(static_cast<unsigned short>(rounded | ((bits >> 16) & 0x8000)), c10::Half::from_bits());
}

MYOPS_INLINE c10::BFloat16 narrow_to_bfloat16(float value) {
  const int32_t bits = std::bit_cast<int32_t>(value);
  const int32_t rounded = static_cast<int32_t>(static_cast<uint32_t>(bits) + 0x7fffU + ((bits >> 16) & 1)) >> 16;
  const int32_t is_nan = -static_cast<int32_t>((bits & 0x7fffffff) > 0x7f800000);
  return c10::BFloat16(static_cast<unsigned short>((0x7fc0 & is_nan) | (rounded & ~is_nan)),
                       c10::BFloat16::from_bits());
}

MYOPS_INLINE float round_to_odd(float value) { return value; }

// Of the two floats around what is no float, the one whose last bit is 1: rounding it once more, to a dtype with at
// least two bits less, gives what rounding the double at once would (Boldo and Melquiond 2008, "Emulation of a FMA and
// correctly rounded sums: proved algorithms using rounding to odd").
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  if (static_cast<double>(nearest) == value || value != value || (bits & 1) != 0) {
    return nearest;
  }
  const bool is_nearer_to_zero = std::fabs(static_cast<double>(nearest)) < std::fabs(value);
  return std::bit_cast<float>(is_nearer_to_zero ? bits + 1 : bits - 1);
}

// Rounds once, to nearest, ties to even.
template <class T, class From>
MYOPS_INLINE T narrow(From value) {
  if constexpr (std::is_same_v<T, c10::Half>) {
    return narrow_to_half(round_to_odd(value));
  } else if constexpr (std::is_same_v<T, c10::BFloat16>) {
    return narrow_to_bfloat16(round_to_odd(value));
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace myops::cpu
