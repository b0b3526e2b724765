// The main diagonal of the first two dimensions, as a view.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct diagonal {
  using Schema = at::Tensor(const at::Tensor&);
  static constexpr const char* name = "myops::diagonal";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "diagonal(Tensor(a) self) -> Tensor(a)";

  static at::Tensor call(const at::Tensor& self) { return typed_handle<diagonal>().call(self); }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& self) {
    return typed_handle<diagonal>().redispatch(keys, self);
  }
};

}  // namespace ops

// Shape (m, n, rest…) gives (rest…, min(m, n)); the result shares `self`'s memory. Any dtype; two
// dimensions at least.
inline at::Tensor diagonal(const at::Tensor& self) { return ops::diagonal::call(self); }

}  // namespace myops
