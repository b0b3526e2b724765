// Gradients of add_rms_norm. With s = input + residual and y = rms_norm(s), the gradient of s is what comes through y
// plus what comes to s itself, and both summands receive it.
#include "myops/ops/add_rms_norm.h"

#include <ATen/ops/add.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"
#include "myops/ops/rms_norm.h"

namespace myops::autograd {
namespace {

struct AddRmsNormGradient {
  static constexpr const char* kName = "AddRmsNormBackward";
  static constexpr size_t kEdges = 3;
  using Saved = std::tuple<SavedOutput, SavedInput, double>;

  static Gradients<3> gradients(const variable_list& grads, const Wanted<3>& wanted, const at::Tensor& sum,
                                const at::Tensor& weight, double eps) {
    const bool sum_wanted = wanted[0] || wanted[1];
    at::Tensor of_sum, of_weight;
    if (grads[0].defined()) {
      std::tie(of_sum, of_weight) =
          ops::rms_norm_backward::call(grads[0], sum, optional_of(weight), eps, {sum_wanted, wanted[2]});
    }
    if (sum_wanted && grads[1].defined()) of_sum = of_sum.defined() ? at::add(of_sum, grads[1]) : grads[1];
    return {wanted[0] ? of_sum : at::Tensor(), wanted[1] ? of_sum : at::Tensor(), of_weight};
  }
};

}  // namespace

std::tuple<at::Tensor, at::Tensor> add_rms_norm(c10::DispatchKeySet keys, const at::Tensor& input,
                                                const at::Tensor& residual, const std::optional<at::Tensor>& weight,
                                                double eps) {
  refuse_tangents<ops::add_rms_norm>(input, residual, weight);
  if (!needs_gradient(input, residual, weight)) {
    return below_autograd<ops::add_rms_norm>(keys, input, residual, weight, eps);
  }
  const auto node = make_node<AddRmsNormGradient>(input, residual, weight);
  auto [normalised, sum] = below_autograd<ops::add_rms_norm>(keys, input, residual, weight, eps);
  attach(node, normalised, made_of(sum, input, residual));
  complete(node, SavedOutput(sum), SavedInput(weight), eps);
  return {normalised, sum};
}

}  // namespace myops::autograd
