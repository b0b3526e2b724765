// t0 * t1 + t0, elementwise and with broadcasting. Under autocast both inputs are promoted to the wider dtype.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct my_multiple_input_op {
  using Schema = at::Tensor(const at::Tensor&, const at::Tensor&);
  static constexpr const char* name = "myops::my_multiple_input_op";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "my_multiple_input_op(Tensor t0, Tensor t1) -> Tensor";

  static at::Tensor call(const at::Tensor& t0, const at::Tensor& t1) {
    return typed_handle<my_multiple_input_op>().call(t0, t1);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& t0, const at::Tensor& t1) {
    return typed_handle<my_multiple_input_op>().redispatch(keys, t0, t1);
  }
};

}  // namespace ops

// A new tensor of the broadcast shape. Both arguments have the same dtype: float16, bfloat16 (rounded once, at the
// end), float32, float64 or an integer type (wraps around).
inline at::Tensor my_multiple_input_op(const at::Tensor& t0, const at::Tensor& t1) {
  return ops::my_multiple_input_op::call(t0, t1);
}

}  // namespace myops
