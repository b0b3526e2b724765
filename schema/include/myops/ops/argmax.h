// The index of the largest value along one dimension. It has no gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct argmax {
  using Schema = at::Tensor(const at::Tensor&, int64_t);
  static constexpr const char* name = "myops::argmax";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "argmax(Tensor self, int dim=-1) -> Tensor";

  static at::Tensor call(const at::Tensor& self, int64_t dim) { return typed_handle<argmax>().call(self, dim); }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& self, int64_t dim) {
    return typed_handle<argmax>().redispatch(keys, self, dim);
  }
};

}  // namespace ops

// int64, without the dimension `dim`, which may be negative and must not be empty (c10::IndexError). `self` holds
// numbers. NaN counts as the largest value; among equals the first index is given.
inline at::Tensor argmax(const at::Tensor& self, int64_t dim = -1) { return ops::argmax::call(self, dim); }

}  // namespace myops
