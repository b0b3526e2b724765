// The normalisations in ATen terms: computed in float32 (float64 for float64) and rounded once, as the CPU kernels are.
#include "schema/contract/norms.h"

#include <ATen/ops/add.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/rms_norm.h>

#include "composite/kernels.h"
#include "composite/widened.h"

namespace myops::composite {

at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps) {
  constexpr auto op = "myops::rms_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  const at::Tensor wide = widened(input);
  return rounded(at::rms_norm_symint(wide, {wide.sym_size(-1)}, widened(weight), eps), input.scalar_type());
}

std::tuple<at::Tensor, at::Tensor> add_rms_norm(const at::Tensor& input, const at::Tensor& residual,
                                                const std::optional<at::Tensor>& weight, double eps) {
  constexpr auto op = "myops::add_rms_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_companion(op, "residual", residual, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  const at::Tensor sum = rounded(at::add(input, residual), input.scalar_type());
  return {rms_norm(sum, weight, eps), sum};
}

at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  constexpr auto op = "myops::layer_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  contract::check_norm_parameter(op, "bias", bias, input);
  const at::Tensor wide = widened(input);
  const auto [output, mean, inverse_std] =
      at::native_layer_norm_symint(wide, {wide.sym_size(-1)}, widened(weight), widened(bias), eps);
  return rounded(nan_where_infinite(output, inverse_std), input.scalar_type());
}

std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& input, const at::Tensor& residual,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps) {
  constexpr auto op = "myops::add_layer_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_companion(op, "residual", residual, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  contract::check_norm_parameter(op, "bias", bias, input);
  const at::Tensor sum = rounded(at::add(input, residual), input.scalar_type());
  return {layer_norm(sum, weight, bias, eps), sum};
}

}  // namespace myops::composite
