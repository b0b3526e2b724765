// The contract of the operators that reduce dimensions, and the shape of their results.
#pragma once

#include <algorithm>
#include <bitset>

#include "schema/contract/arguments.h"

namespace myops::contract {

using DimSet = std::bitset<kMaxDims>;

// `dim` counted from the front. A 0-dim tensor takes -1 and 0, as everywhere in torch. IndexError where out of range.
inline int64_t checked_dim(const char* op, const at::Tensor& self, int64_t dim) {
  const int64_t dims = std::max<int64_t>(self.dim(), 1);
  TORCH_CHECK_INDEX(dim >= -dims && dim < dims, op, ": dim must be from ", -dims, " to ", dims - 1, ", got ", dim);
  return dim < 0 ? dim + dims : dim;
}

// The reduced dimensions: all of them where `dim` is absent or empty.
inline DimSet checked_dims(const char* op, const at::Tensor& self, at::OptionalIntArrayRef dim) {
  check_dims(op, {"self", self}, 0);
  DimSet reduced;
  if (!dim.has_value() || dim->empty()) {
    return reduced.set();
  }
  for (const int64_t one : *dim) {
    const int64_t d = checked_dim(op, self, one);
    TORCH_CHECK(!reduced[d], op, ": dim must name each dimension once, got ", *dim);
    reduced.set(d);
  }
  return reduced;
}

// Int is int64_t or c10::SymInt.
template <class Int>
c10::SmallVector<Int, 5> reduced_shape(c10::ArrayRef<Int> sizes, const DimSet& reduced, bool keepdim) {
  c10::SmallVector<Int, 5> shape;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!reduced[d]) {
      shape.push_back(sizes[d]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

// argmax has no answer for a dimension of size 0.
inline int64_t checked_argmax_dim(const char* op, const at::Tensor& self, int64_t dim) {
  check_dtype(op, {"self", self}, Dtypes::kNumbers);
  check_dims(op, {"self", self}, 0);
  const int64_t d = checked_dim(op, self, dim);
  TORCH_CHECK_INDEX(self.dim() == 0 || self.sym_size(d).sym_ne(0).expect_true(__FILE__, __LINE__), op,
                    ": dim must name a dimension that is not empty, got ", dim, " of shape ", self.sym_sizes());
  return d;
}

}  // namespace myops::contract
