// Sums of many terms, fast and accurate: term i goes to lane i mod 16, so that the compiler adds vectors; after every
// 1024 terms the lanes go into a total of higher precision. Lanes are fixed by the index, not by the vector length:
// every CPU level gives the same bits. For float the relative error is below 70 · 2⁻²⁴ · Σ|term| / |Σ term|, whatever
// the number of terms.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace myops::cpu {

inline constexpr int64_t kLanes = 16;
inline constexpr int64_t kTermsPerBlock = 1024;

template <class W>
using Total = std::conditional_t<std::is_floating_point_v<W>, double, W>;

// The sum of all lanes, by halves; it destroys them. Written out, so that it stays in registers.
template <class W>
W fold(W (&lanes)[kLanes]) {
  static_assert(kLanes == 16);
  for (int64_t lane = 0; lane < 8; ++lane) {
    lanes[lane] += lanes[lane + 8];
  }
  for (int64_t lane = 0; lane < 4; ++lane) {
    lanes[lane] += lanes[lane + 4];
  }
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

// Σ term(i) for i below `count`. `term` returns W.
template <class W, class Term>
Total<W> sum_of(int64_t count, const Term& term) {
  Total<W> total = 0;
  const int64_t whole = count - count % kLanes;
  int64_t i = 0;
  while (i < whole) {
    const int64_t end = std::min(whole, i + kTermsPerBlock);
    W lanes[kLanes] = {};
    for (; i < end; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] += term(i + lane);
      }
    }
    total += fold(lanes);
  }
  for (; i < count; ++i) {
    total += term(i);
  }
  return total;
}

// Two sums over the same index in one pass. (A pack of any number of terms would not become vector code.)
template <class W, class First, class Second>
std::array<Total<W>, 2> sums_of(int64_t count, const First& first, const Second& second) {
  std::array<Total<W>, 2> totals{};
  const int64_t whole = count - count % kLanes;
  int64_t i = 0;
  while (i < whole) {
    const int64_t end = std::min(whole, i + kTermsPerBlock);
    W first_lanes[kLanes] = {};
    W second_lanes[kLanes] = {};
    for (; i < end; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        first_lanes[lane] += first(i + lane);
        second_lanes[lane] += second(i + lane);
      }
    }
    totals[0] += fold(first_lanes);
    totals[1] += fold(second_lanes);
  }
  for (; i < count; ++i) {
    totals[0] += first(i);
    totals[1] += second(i);
  }
  return totals;
}

}  // namespace myops::cpu
