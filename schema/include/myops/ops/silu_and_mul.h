// The gated activation of the halves of the last dimension with silu (Shazeer 2020, "GLU Variants Improve Transformer",
// arXiv:2002.05202: SwiGLU without its matrices), and its gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct silu_and_mul {
  using Schema = at::Tensor(const at::Tensor&);
  static constexpr const char* name = "myops::silu_and_mul";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "silu_and_mul(Tensor input) -> Tensor";

  static at::Tensor call(const at::Tensor& input) { return typed_handle<silu_and_mul>().call(input); }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& input) {
    return typed_handle<silu_and_mul>().redispatch(keys, input);
  }
};

struct silu_and_mul_backward {
  using Schema = at::Tensor(const at::Tensor&, const at::Tensor&);
  static constexpr const char* name = "myops::silu_and_mul_backward";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "silu_and_mul_backward(Tensor grad, Tensor input) -> Tensor";

  static at::Tensor call(const at::Tensor& grad, const at::Tensor& input) {
    return typed_handle<silu_and_mul_backward>().call(grad, input);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input) {
    return typed_handle<silu_and_mul_backward>().redispatch(keys, grad, input);
  }
};

}  // namespace ops

// silu(a) · b with silu(x) = x / (1 + exp(-x)), where a is the first half of the last dimension and b the second;
// computed in float32 (float64 for float64) and rounded once. Floating. The last dimension is even; that of the result
// is half.
inline at::Tensor silu_and_mul(const at::Tensor& input) { return ops::silu_and_mul::call(input); }

// The gradient of input, with input's shape. `grad` has the result's shape and input's dtype.
inline at::Tensor silu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input) {
  return ops::silu_and_mul_backward::call(grad, input);
}

}  // namespace myops
