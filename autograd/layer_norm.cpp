// Gradients of layer_norm: one call of myops::layer_norm_backward.
#include "myops/ops/layer_norm.h"

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct LayerNormGradient {
  static constexpr const char* kName = "LayerNormBackward";
  static constexpr size_t kEdges = 3;
  using Saved = std::tuple<SavedInput, SavedInput, double>;

  static Gradients<3> gradients(const variable_list& grads, const Wanted<3>& wanted, const at::Tensor& input,
                                const at::Tensor& weight, double eps) {
    auto [of_input, of_weight, of_bias] =
        ops::layer_norm_backward::call(grads[0], input, optional_of(weight), eps, wanted);
    return {of_input, of_weight, of_bias};
  }
};

}  // namespace

at::Tensor layer_norm(c10::DispatchKeySet keys, const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  refuse_tangents<ops::layer_norm>(input, weight, bias);
  if (!needs_gradient(input, weight, bias)) return below_autograd<ops::layer_norm>(keys, input, weight, bias, eps);
  const auto node = make_node<LayerNormGradient>(input, weight, bias);
  auto result = below_autograd<ops::layer_norm>(keys, input, weight, bias, eps);
  attach(node, result);
  complete(node, SavedInput(input), SavedInput(weight), eps);
  return result;
}

}  // namespace myops::autograd
