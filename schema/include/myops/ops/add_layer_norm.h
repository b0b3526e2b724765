// Residual addition and layer normalisation of the sum, in one pass over memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct add_layer_norm {
  using Schema = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&,
                                                    const std::optional<at::Tensor>&, const std::optional<at::Tensor>&,
                                                    double);
  static constexpr const char* name = "myops::add_layer_norm";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "add_layer_norm(Tensor input, Tensor residual, Tensor? weight, Tensor? bias, float eps=1e-05)"
      " -> (Tensor, Tensor)";

  static std::tuple<at::Tensor, at::Tensor> call(const at::Tensor& input, const at::Tensor& residual,
                                                 const std::optional<at::Tensor>& weight,
                                                 const std::optional<at::Tensor>& bias, double eps) {
    return typed_handle<add_layer_norm>().call(input, residual, weight, bias, eps);
  }
  static std::tuple<at::Tensor, at::Tensor> redispatch(c10::DispatchKeySet keys, const at::Tensor& input,
                                                       const at::Tensor& residual,
                                                       const std::optional<at::Tensor>& weight,
                                                       const std::optional<at::Tensor>& bias, double eps) {
    return typed_handle<add_layer_norm>().redispatch(keys, input, residual, weight, bias, eps);
  }
};

}  // namespace ops

// (layer_norm(sum, weight, bias, eps), sum) with sum = input + residual, rounded to the inputs' dtype before it is
// normalised. Floating; `residual` has input's shape and dtype, `weight` and `bias` shape [input.size(-1)] and input's
// dtype. The sum requires grad where input or residual does.
inline std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& input, const at::Tensor& residual,
                                                         const std::optional<at::Tensor>& weight = std::nullopt,
                                                         const std::optional<at::Tensor>& bias = std::nullopt,
                                                         double eps = 1e-5) {
  return ops::add_layer_norm::call(input, residual, weight, bias, eps);
}

}  // namespace myops
