// How a reduction walks memory: which elements make up each result. Knows sizes and strides only.
#pragma once

#include <algorithm>
#include <bitset>

#include "backend_cuda/rows.h"

namespace myops::cuda {

struct Reduction {
  Dims kept;   // numbers the results
  Dims terms;  // numbers the terms of a result
};

// Terms are numbered largest stride first, as their order is free.
inline Reduction make_reduction(const int64_t* sizes, const int64_t* strides, int dims,
                                const std::bitset<kMaxDims>& reduced) {
  Reduction reduction;
  int order[kMaxDims];
  int count = 0;
  for (int d = 0; d < dims; ++d) {
    if (reduced[static_cast<size_t>(d)]) {
      order[count++] = d;
    } else {
      reduction.kept.append(sizes[d], strides[d]);
    }
  }
  std::stable_sort(order, order + count, [strides](int a, int b) { return strides[a] > strides[b]; });
  for (int k = 0; k < count; ++k) {
    reduction.terms.append(sizes[order[k]], strides[order[k]]);
  }
  return reduction;
}

// The terms of each result lie side by side from an aligned place on: they can be read in packs of 16 bytes.
inline bool fits_packs(const Reduction& reduction, const void* data, int64_t element_bytes) {
  const Dims& kept = reduction.kept;
  if (!is_aligned(data) || reduction.terms.count != 1 || reduction.terms.stride[0] != 1) {
    return false;
  }
  return std::all_of(kept.stride, kept.stride + kept.count,
                     [&](int64_t stride) { return stride * element_bytes % kPackBytes == 0; });
}

// Neighbouring results are nearer in memory than neighbouring terms.
inline bool is_by_columns(const Reduction& reduction) {
  const Dims& kept = reduction.kept;
  const Dims& terms = reduction.terms;
  return kept.count > 0 && terms.count > 0 && kept.stride[kept.count - 1] < terms.stride[terms.count - 1];
}

}  // namespace myops::cuda
