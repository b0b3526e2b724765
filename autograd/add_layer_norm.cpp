// Gradients of add_layer_norm. With s = input + residual and y = layer_norm(s), the gradient of s is what comes through
// y plus what comes to s itself, and both summands receive it.
#include "myops/ops/add_layer_norm.h"

#include <ATen/ops/add.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"
#include "myops/ops/layer_norm.h"

namespace myops::autograd {
namespace {

struct AddLayerNormGradient {
  static constexpr const char* kName = "AddLayerNormBackward";
  static constexpr size_t kEdges = 4;
  using Saved = std::tuple<SavedOutput, SavedInput, double>;

  static Gradients<4> gradients(const variable_list& grads, const Wanted<4>& wanted, const at::Tensor& sum,
                                const at::Tensor& weight, double eps) {
    const bool sum_wanted = wanted[0] || wanted[1];
    at::Tensor of_sum, of_weight, of_bias;
    if (grads[0].defined()) {
      std::tie(of_sum, of_weight, of_bias) =
          ops::layer_norm_backward::call(grads[0], sum, optional_of(weight), eps, {sum_wanted, wanted[2], wanted[3]});
    }
    if (sum_wanted && grads[1].defined()) of_sum = of_sum.defined() ? at::add(of_sum, grads[1]) : grads[1];
    return {wanted[0] ? of_sum : at::Tensor(), wanted[1] ? of_sum : at::Tensor(), of_weight, of_bias};
  }
};

}  // namespace

std::tuple<at::Tensor, at::Tensor> add_layer_norm(c10::DispatchKeySet keys, const at::Tensor& input,
                                                  const at::Tensor& residual, const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps) {
  refuse_tangents<ops::add_layer_norm>(input, residual, weight, bias);
  if (!needs_gradient(input, residual, weight, bias)) {
    return below_autograd<ops::add_layer_norm>(keys, input, residual, weight, bias, eps);
  }
  const auto node = make_node<AddLayerNormGradient>(input, residual, weight, bias);
  auto [normalised, sum] = below_autograd<ops::add_layer_norm>(keys, input, residual, weight, bias, eps);
  attach(node, normalised, made_of(sum, input, residual));
  complete(node, SavedOutput(sum), SavedInput(weight), eps);
  return {normalised, sum};
}

}  // namespace myops::autograd
