// Contiguous elements brought to the type they are computed in and back: element by element, and for float16 with the
// CPU's own instructions where the level has them. Every level gives the same bits, those of number_conversion.h.
#pragma once

#include "backend_cpu/number_conversion.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace myops::cpu {

template <class T>
void widen_row(const T* from, int64_t count, Wide<T>* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = widen(from[i]);
  }
}

template <class T>
void narrow_row(const Wide<T>* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = narrow<T>(from[i]);
  }
}

#ifdef __F16C__
namespace detail {

// VCVTPS2PH keeps what it can of a NaN's payload; c10 writes one NaN for all.
constexpr short kHalfNan = 0x7e00;
constexpr short kHalfSign = static_cast<short>(0x8000);

#ifdef __AVX512BW__
inline constexpr int64_t kHalvesPerVector = 16;
// With a mask of all elements: g++ 12 takes the unmasked forms for uses of an uninitialised value (GCC bug 105593).
constexpr __mmask16 kAll = 0xffff;

MYOPS_INLINE void widen_vector(const c10::Half* from, float* to) {
  _mm512_storeu_ps(to, _mm512_maskz_cvtph_ps(kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}

MYOPS_INLINE void narrow_vector(const float* from, c10::Half* to) {
  const __m512 values = _mm512_loadu_ps(from);
  const __m256i halves = _mm512_maskz_cvtps_ph(kAll, values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i nan =
      _mm256_or_si256(_mm256_and_si256(halves, _mm256_set1_epi16(kHalfSign)), _mm256_set1_epi16(kHalfNan));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_mask_blend_epi16(is_nan, halves, nan));
}
#else
inline constexpr int64_t kHalvesPerVector = 8;

MYOPS_INLINE void widen_vector(const c10::Half* from, float* to) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}

MYOPS_INLINE void narrow_vector(const float* from, c10::Half* to) {
  const __m256 values = _mm256_loadu_ps(from);
  const __m128i halves = _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m128i nan = _mm_or_si128(_mm_and_si128(halves, _mm_set1_epi16(kHalfSign)), _mm_set1_epi16(kHalfNan));
  const __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
  const __m128i narrow_is_nan = _mm_packs_epi32(_mm_castps_si128(_mm256_castps256_ps128(is_nan)),
                                                _mm_castps_si128(_mm256_extractf128_ps(is_nan, 1)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_blendv_epi8(halves, nan, narrow_is_nan));
}
#endif

}  // namespace detail

template <>
inline void widen_row<c10::Half>(const c10::Half* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + detail::kHalvesPerVector <= count; i += detail::kHalvesPerVector) {
    detail::widen_vector(from + i, to + i);
  }
  for (; i < count; ++i) {
    to[i] = widen(from[i]);
  }
}

template <>
inline void narrow_row<c10::Half>(const float* from, int64_t count, c10::Half* to) {
  int64_t i = 0;
  for (; i + detail::kHalvesPerVector <= count; i += detail::kHalvesPerVector) {
    detail::narrow_vector(from + i, to + i);
  }
  for (; i < count; ++i) {
    to[i] = narrow<c10::Half>(from[i]);
  }
}
#endif

}  // namespace myops::cpu
