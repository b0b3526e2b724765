// Sum over some or all dimensions.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct sum {
  using Schema = at::Tensor(const at::Tensor&, at::OptionalIntArrayRef, bool);
  static constexpr const char* name = "myops::sum";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "sum(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor";

  static at::Tensor call(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
    return typed_handle<sum>().call(self, dim, keepdim);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& self, at::OptionalIntArrayRef dim,
                               bool keepdim) {
    return typed_handle<sum>().redispatch(keys, self, dim, keepdim);
  }
};

}  // namespace ops

// No dim, or an empty list: over all dimensions. One that is out of range is an error (c10::IndexError), one that is
// named twice too. `self` holds numbers or bool: floating inputs keep their dtype and are added in float32 or wider;
// integers and bool give int64. The sum of nothing is 0.
inline at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim = std::nullopt, bool keepdim = false) {
  return ops::sum::call(self, dim, keepdim);
}

}  // namespace myops
