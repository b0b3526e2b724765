// Residual addition and root-mean-square normalisation of the sum, in one pass over memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

#include "myops/typed_handle.h"

namespace myops {

namespace ops {

struct add_rms_norm {
  using Schema = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&,
                                                    const std::optional<at::Tensor>&, double);
  static constexpr const char* name = "myops::add_rms_norm";
  static constexpr const char* overload_name = "";
  static constexpr const char* schema_str =
      "add_rms_norm(Tensor input, Tensor residual, Tensor? weight, float eps=1e-06) -> (Tensor, Tensor)";

  static std::tuple<at::Tensor, at::Tensor> call(const at::Tensor& input, const at::Tensor& residual,
                                                 const std::optional<at::Tensor>& weight, double eps) {
    return typed_handle<add_rms_norm>().call(input, residual, weight, eps);
  }
  static std::tuple<at::Tensor, at::Tensor> redispatch(c10::DispatchKeySet keys, const at::Tensor& input,
                                                       const at::Tensor& residual,
                                                       const std::optional<at::Tensor>& weight, double eps) {
    return typed_handle<add_rms_norm>().redispatch(keys, input, residual, weight, eps);
  }
};

}  // namespace ops

// (rms_norm(sum, weight, eps), sum) with sum = input + residual, rounded to the inputs' dtype before it is normalised.
// Floating; `residual` has input's shape and dtype, `weight` shape [input.size(-1)] and input's dtype. The sum requires
// grad where input or residual does.
inline std::tuple<at::Tensor, at::Tensor> add_rms_norm(const at::Tensor& input, const at::Tensor& residual,
                                                       const std::optional<at::Tensor>& weight = std::nullopt,
                                                       double eps = 1e-6) {
  return ops::add_rms_norm::call(input, residual, weight, eps);
}

}  // namespace myops
