// Layer normalisation over the last dimension (Ba, Kiros and Hinton 2016, arXiv:1607.06450), and its gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <tuple>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct layer_norm {
  using Schema = at::Tensor(const at::Tensor&, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&,
                            double);
  static constexpr const char* name = "myops::layer_norm";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "layer_norm(Tensor input, Tensor? weight, Tensor? bias, float eps=1e-05) -> Tensor";

  static at::Tensor call(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                         const std::optional<at::Tensor>& bias, double eps) {
    return typed_handle<layer_norm>().call(input, weight, bias, eps);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& input,
                               const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                               double eps) {
    return typed_handle<layer_norm>().redispatch(keys, input, weight, bias, eps);
  }
};

struct layer_norm_backward {
  using Schema = std::tuple<at::Tensor, at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&,
                                                                const std::optional<at::Tensor>&, double,
                                                                std::array<bool, 3>);
  static constexpr const char* name = "myops::layer_norm_backward";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "layer_norm_backward(Tensor grad, Tensor input, Tensor? weight, float eps, bool[3] output_mask)"
      " -> (Tensor, Tensor, Tensor)";

  static std::tuple<at::Tensor, at::Tensor, at::Tensor> call(const at::Tensor& grad, const at::Tensor& input,
                                                             const std::optional<at::Tensor>& weight, double eps,
                                                             std::array<bool, 3> output_mask) {
    return typed_handle<layer_norm_backward>().call(grad, input, weight, eps, output_mask);
  }
  static std::tuple<at::Tensor, at::Tensor, at::Tensor> redispatch(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                                   const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
    return typed_handle<layer_norm_backward>().redispatch(keys, grad, input, weight, eps, output_mask);
  }
};

}  // namespace ops

// (input - mean) / sqrt(variance + eps) · weight + bias, over the last dimension, with the biased variance; computed in
// float32 (float64 for float64) and rounded once. Floating, of one dimension at least. `weight` and `bias` have shape
// [input.size(-1)] and the input's dtype; without them they are 1 and 0. A row whose variance is beyond that range
// (float32: deviations above 1.8e19) gives NaN.
inline at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight = std::nullopt,
                             const std::optional<at::Tensor>& bias = std::nullopt, double eps = 1e-5) {
  return ops::layer_norm::call(input, weight, bias, eps);
}

// (gradient of input, of weight, of bias), each undefined where `output_mask` is false. `grad` has input's shape and
// dtype. Without a weight its gradient is that of a weight of ones. The gradients of add_layer_norm come from here too,
// with its sum as `input`.
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad,
                                                                          const at::Tensor& input,
                                                                          const std::optional<at::Tensor>& weight,
                                                                          double eps, std::array<bool, 3> output_mask) {
  return ops::layer_norm_backward::call(grad, input, weight, eps, output_mask);
}

}  // namespace myops
