// The normalisations and their backward operators on Meta: contiguous results of the input's dtype.
#include "schema/contract/norms.h"

#include <ATen/ops/empty.h>

#include "backend_meta/kernels.h"
#include "backend_meta/like_input.h"

namespace myops::meta {
namespace {

at::Tensor like_row(const at::Tensor& input) { return at::empty_symint({input.sym_size(-1)}, input.options()); }

}  // namespace

at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps) {
  contract::check_norm_input("myops::rms_norm", input);
  contract::check_norm_parameter("myops::rms_norm", "weight", weight, input);
  return like_input(input);
}

std::tuple<at::Tensor, at::Tensor> rms_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                     const std::optional<at::Tensor>& weight, double eps,
                                                     std::array<bool, 2> output_mask) {
  contract::check_norm_backward("myops::rms_norm_backward", grad, input, weight);
  return {output_mask[0] ? like_input(input) : at::Tensor(), output_mask[1] ? like_row(input) : at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor> add_rms_norm(const at::Tensor& input, const at::Tensor& residual,
                                                const std::optional<at::Tensor>& weight, double eps) {
  contract::check_norm_input("myops::add_rms_norm", input);
  contract::check_norm_companion("myops::add_rms_norm", "residual", residual, input);
  contract::check_norm_parameter("myops::add_rms_norm", "weight", weight, input);
  return {like_input(input), like_input(input)};
}

at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  contract::check_norm_input("myops::layer_norm", input);
  contract::check_norm_parameter("myops::layer_norm", "weight", weight, input);
  contract::check_norm_parameter("myops::layer_norm", "bias", bias, input);
  return like_input(input);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
  contract::check_norm_backward("myops::layer_norm_backward", grad, input, weight);
  return {output_mask[0] ? like_input(input) : at::Tensor(), output_mask[1] ? like_row(input) : at::Tensor(),
          output_mask[2] ? like_row(input) : at::Tensor()};
}

std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& input, const at::Tensor& residual,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps) {
  contract::check_norm_input("myops::add_layer_norm", input);
  contract::check_norm_companion("myops::add_layer_norm", "residual", residual, input);
  contract::check_norm_parameter("myops::add_layer_norm", "weight", weight, input);
  contract::check_norm_parameter("myops::add_layer_norm", "bias", bias, input);
  return {like_input(input), like_input(input)};
}

}  // namespace myops::meta
