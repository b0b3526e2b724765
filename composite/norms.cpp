// The normalisations in ATen terms: computed in float32 (float64 for float64) and rounded once, as the CPU kernels are.
#include "schema/contract/norms.h"

#include <ATen/ops/add.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/rms_norm.h>

#include "composite/kernels.h"
#include "composite/widened.h"

namespace myops::composite {

at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps) {
  constexpr auto op = "myops::rms_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  const at::Tensor wide = widened(input);
  return at::rms_norm_symint(wide, {wide.sym_size(-1)}, widened(weight), eps).to(input.scalar_type()).contiguous();
}

at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  constexpr auto op = "myops::layer_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  contract::check_norm_parameter(op, "bias", bias, input);
  const at::Tensor wide = widened(input);
  return at::layer_norm_symint(wide, {wide.sym_size(-1)}, widened(weight), widened(bias), eps)
      .to(input.scalar_type())
      .contiguous();
}

std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& input, const at::Tensor& residual,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps) {
  constexpr auto op = "myops::add_layer_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_companion(op, "residual", residual, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  contract::check_norm_parameter(op, "bias", bias, input);
  const at::Tensor sum = at::add(input, residual).contiguous();
  return {layer_norm(sum, weight, bias, eps), sum};
}

}  // namespace myops::composite
