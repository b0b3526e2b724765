// Whether elements of one strided array surely share memory. Knows sizes and strides only.
#pragma once

#include <cstdint>
#include <numeric>

namespace myops::contract {

// Two different indices at the same offset, both in dimensions i and j: index a of i and b of j with a · stride_i = b ·
// stride_j.
inline bool collide(int64_t size_i, int64_t stride_i, int64_t size_j, int64_t stride_j) {
  const int64_t divisor = std::gcd(stride_i, stride_j);
  return stride_j / divisor < size_i && stride_i / divisor < size_j;
}

// True is a proof; false says that no single dimension and no two of them collide (for three and more, deciding is as
// hard as a knapsack problem). An expanded array, and one that slides a window over memory, are found.
inline bool surely_overlaps(const int64_t* sizes, const int64_t* strides, int64_t dims) {
  for (int64_t i = 0; i < dims; ++i) {
    if (sizes[i] == 0) {
      return false;
    }
  }
  for (int64_t i = 0; i < dims; ++i) {
    if (sizes[i] == 1) {
      continue;
    }
    if (strides[i] == 0) {
      return true;
    }
    for (int64_t j = 0; j < i; ++j) {
      if (sizes[j] > 1 && collide(sizes[i], strides[i], sizes[j], strides[j])) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace myops::contract
