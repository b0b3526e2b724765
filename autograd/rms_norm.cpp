// Gradients of rms_norm: one call of myops::rms_norm_backward.
#include "myops/ops/rms_norm.h"

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct RmsNormGradient {
  static constexpr const char* kName = "RmsNormBackward";
  static constexpr size_t kEdges = 2;
  using Saved = std::tuple<SavedInput, SavedInput, double>;

  static Gradients<2> gradients(const variable_list& grads, const Wanted<2>& wanted, const at::Tensor& input,
                                const at::Tensor& weight, double eps) {
    auto [of_input, of_weight] = ops::rms_norm_backward::call(grads[0], input, optional_of(weight), eps, wanted);
    return {of_input, of_weight};
  }
};

}  // namespace

at::Tensor rms_norm(c10::DispatchKeySet keys, const at::Tensor& input, const std::optional<at::Tensor>& weight,
                    double eps) {
  refuse_tangents<ops::rms_norm>(input, weight);
  if (!needs_gradient(input, weight)) return below_autograd<ops::rms_norm>(keys, input, weight, eps);
  const auto node = make_node<RmsNormGradient>(input, weight);
  auto result = below_autograd<ops::rms_norm>(keys, input, weight, eps);
  attach(node, result);
  complete(node, SavedInput(input), SavedInput(weight), eps);
  return result;
}

}  // namespace myops::autograd
