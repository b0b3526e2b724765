// Matrix product, computed by at::matmul: no product of our own. Under autocast it runs in the lower precision.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct mymatmul {
  using Schema = at::Tensor(const at::Tensor&, const at::Tensor&);
  static constexpr const char* name = "myops::mymatmul";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "mymatmul(Tensor self, Tensor other) -> Tensor";

  static at::Tensor call(const at::Tensor& self, const at::Tensor& other) {
    return typed_handle<mymatmul>().call(self, other);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other) {
    return typed_handle<mymatmul>().redispatch(keys, self, other);
  }
};

}  // namespace ops

// Shapes as at::matmul: vectors, matrices and batches of them, whose batch dimensions broadcast. Floating.
inline at::Tensor mymatmul(const at::Tensor& self, const at::Tensor& other) { return ops::mymatmul::call(self, other); }

}  // namespace myops
