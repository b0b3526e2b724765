// Applies a function of two elements over two strided dimensions, in the form of TensorIterator's inner loops.
#pragma once

#include <cstdint>

#include "backend_cpu/number_conversion.h"

namespace myops::cpu {

// In what two elements are combined: float and double as they are, low precision in float, integers in an unsigned
// type, where overflow wraps around.
template <class T, class Combine>
MYOPS_INLINE T combine_elements(const Combine& combine, T first, T second) {
  return narrow<T>(combine(widen(first), widen(second)));
}

// `out` may be `first` or `second` (the same elements), but must not overlap them otherwise.
template <class T, class Combine>
void combine_contiguous(T* out, const T* first, const T* second, int64_t count, const Combine& combine) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    out[i] = combine_elements(combine, first[i], second[i]);
  }
}

// data: out, first, second. strides, in bytes: theirs in the inner dimension, then theirs in the outer one.
template <class T, class Combine>
void combine_strided(char** data, const int64_t* strides, int64_t inner, int64_t outer, const Combine& combine) {
  for (int64_t j = 0; j < outer; ++j) {
    char* out = data[0] + j * strides[3];
    const char* first = data[1] + j * strides[4];
    const char* second = data[2] + j * strides[5];
    constexpr int64_t kSize = sizeof(T);
    if (strides[0] == kSize && strides[1] == kSize && strides[2] == kSize) {
      combine_contiguous(reinterpret_cast<T*>(out), reinterpret_cast<const T*>(first),
                         reinterpret_cast<const T*>(second), inner, combine);
      continue;
    }
    for (int64_t i = 0; i < inner; ++i) {
      *reinterpret_cast<T*>(out + i * strides[0]) =
          combine_elements(combine, *reinterpret_cast<const T*>(first + i * strides[1]),
                           *reinterpret_cast<const T*>(second + i * strides[2]));
    }
  }
}

}  // namespace myops::cpu
