// The gated activation of the halves of the last dimension with gelu (Shazeer 2020, "GLU Variants Improve Transformer",
// arXiv:2002.05202: GEGLU without its matrices), and its gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct gelu_and_mul {
  using Schema = at::Tensor(const at::Tensor&, std::string_view);
  static constexpr const char* name = "myops::gelu_and_mul";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "gelu_and_mul(Tensor input, *, str approximate='none') -> Tensor";

  static at::Tensor call(const at::Tensor& input, std::string_view approximate) {
    return typed_handle<gelu_and_mul>().call(input, approximate);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& input, std::string_view approximate) {
    return typed_handle<gelu_and_mul>().redispatch(keys, input, approximate);
  }
};

struct gelu_and_mul_backward {
  using Schema = at::Tensor(const at::Tensor&, const at::Tensor&, std::string_view);
  static constexpr const char* name = "myops::gelu_and_mul_backward";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "gelu_and_mul_backward(Tensor grad, Tensor input, *, str approximate='none') -> Tensor";

  static at::Tensor call(const at::Tensor& grad, const at::Tensor& input, std::string_view approximate) {
    return typed_handle<gelu_and_mul_backward>().call(grad, input, approximate);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input,
                               std::string_view approximate) {
    return typed_handle<gelu_and_mul_backward>().redispatch(keys, grad, input, approximate);
  }
};

}  // namespace ops

// gelu(a) · b, where a is the first half of the last dimension and b the second; computed in float32 (float64 for
// float64) and rounded once. Floating. The last dimension is even; that of the result is half. `approximate`: "none"
// for gelu(x) = x Φ(x), "tanh" for x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 (Hendrycks and Gimpel 2016,
// arXiv:1606.08415).
inline at::Tensor gelu_and_mul(const at::Tensor& input, std::string_view approximate = "none") {
  return ops::gelu_and_mul::call(input, approximate);
}

// The gradient of input, with input's shape. `grad` has the result's shape and input's dtype.
inline at::Tensor gelu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input,
                                        std::string_view approximate = "none") {
  return ops::gelu_and_mul_backward::call(grad, input, approximate);
}

}  // namespace myops
