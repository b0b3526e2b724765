// Root-mean-square normalisation over the last dimension (Zhang and Sennrich 2019, arXiv:1910.07467), and its
// gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <tuple>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct rms_norm {
  using Schema = at::Tensor(const at::Tensor&, const std::optional<at::Tensor>&, double);
  static constexpr const char* name = "myops::rms_norm";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str = "rms_norm(Tensor input, Tensor? weight, float eps=1e-06) -> Tensor";

  static at::Tensor call(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps) {
    return typed_handle<rms_norm>().call(input, weight, eps);
  }
  static at::Tensor redispatch(c10::DispatchKeySet keys, const at::Tensor& input,
                               const std::optional<at::Tensor>& weight, double eps) {
    return typed_handle<rms_norm>().redispatch(keys, input, weight, eps);
  }
};

struct rms_norm_backward {
  using Schema = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&,
                                                    const std::optional<at::Tensor>&, double, std::array<bool, 2>);
  static constexpr const char* name = "myops::rms_norm_backward";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "rms_norm_backward(Tensor grad, Tensor input, Tensor? weight, float eps, bool[2] output_mask)"
      " -> (Tensor, Tensor)";

  static std::tuple<at::Tensor, at::Tensor> call(const at::Tensor& grad, const at::Tensor& input,
                                                 const std::optional<at::Tensor>& weight, double eps,
                                                 std::array<bool, 2> output_mask) {
    return typed_handle<rms_norm_backward>().call(grad, input, weight, eps, output_mask);
  }
  static std::tuple<at::Tensor, at::Tensor> redispatch(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                       const at::Tensor& input, const std::optional<at::Tensor>& weight,
                                                       double eps, std::array<bool, 2> output_mask) {
    return typed_handle<rms_norm_backward>().redispatch(keys, grad, input, weight, eps, output_mask);
  }
};

}  // namespace ops

// input / sqrt(mean(input²) + eps) · weight, over the last dimension, computed in float32 (float64 for float64) and
// rounded once. Floating, of one dimension at least. `weight` has shape [input.size(-1)] and the input's dtype; without
// it the factor is 1.
inline at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight = std::nullopt,
                           double eps = 1e-6) {
  return ops::rms_norm::call(input, weight, eps);
}

// (gradient of input, gradient of weight), each undefined where `output_mask` is false. `grad` has input's shape and
// dtype. Without a weight its gradient is that of a weight of ones. The gradients of add_rms_norm come from here too,
// with its sum as `input`.
inline std::tuple<at::Tensor, at::Tensor> rms_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                            const std::optional<at::Tensor>& weight, double eps,
                                                            std::array<bool, 2> output_mask) {
  return ops::rms_norm_backward::call(grad, input, weight, eps, output_mask);
}

}  // namespace myops
