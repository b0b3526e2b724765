// How a reduction walks memory: which elements make up each result, and in which order they are best read. Knows sizes
// and strides only.
#pragma once

#include <algorithm>
#include <bitset>

#include "backend_cpu/strided_walk.h"

namespace myops::cpu {

// Results are numbered row-major over the kept dimensions: result r is column r % columns of outer element r / columns.
// Where neighbouring results are nearer in memory than neighbouring terms, they are worked on together as columns; else
// there is one column.
struct Reduction {
  Dims outer;
  int64_t columns = 1;
  int64_t column_stride = 0;
  Dims terms;

  int64_t results() const { return outer.elements * columns; }
};

namespace detail {

// The reduced dimensions, largest stride outermost: the order of terms is free.
inline Dims sorted_terms(const int64_t* sizes, const int64_t* strides, int dims, const std::bitset<kMaxDims>& reduced) {
  int order[kMaxDims];
  int count = 0;
  for (int d = 0; d < dims; ++d) {
    if (reduced[d]) {
      order[count++] = d;
    }
  }
  std::stable_sort(order, order + count, [strides](int a, int b) { return strides[a] > strides[b]; });
  Dims terms;
  for (int k = 0; k < count; ++k) {
    terms.append(sizes[order[k]], strides[order[k]]);
  }
  return terms;
}

}  // namespace detail

inline Reduction make_reduction(const int64_t* sizes, const int64_t* strides, int dims,
                                const std::bitset<kMaxDims>& reduced) {
  Reduction reduction;
  reduction.terms = detail::sorted_terms(sizes, strides, dims, reduced);
  Dims& outer = reduction.outer;
  for (int d = 0; d < dims; ++d) {
    if (!reduced[d]) {
      outer.append(sizes[d], strides[d]);
    }
  }
  const Dims& terms = reduction.terms;
  const bool has_terms = terms.count > 0 && terms.elements > 0;
  if (has_terms && outer.count > 0 && outer.elements > 0 &&
      outer.stride[outer.count - 1] < terms.stride[terms.count - 1]) {
    --outer.count;
    reduction.columns = outer.size[outer.count];
    reduction.column_stride = outer.stride[outer.count];
    outer.elements /= reduction.columns;
  }
  return reduction;
}

}  // namespace myops::cpu
