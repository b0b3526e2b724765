// Gradients of gelu_and_mul: one call of myops::gelu_and_mul_backward.
#include "myops/ops/gelu_and_mul.h"

#include <string>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct GeluAndMulGradient {
  static constexpr const char* kName = "GeluAndMulBackward";
  static constexpr size_t kEdges = 1;
  using Saved = std::tuple<SavedInput, std::string>;

  static Gradients<1> gradients(const variable_list& grads, const Wanted<1>& /*wanted*/, const at::Tensor& input,
                                const std::string& approximate) {
    return {ops::gelu_and_mul_backward::call(grads[0], input, approximate)};
  }
};

}  // namespace

at::Tensor gelu_and_mul(c10::DispatchKeySet keys, const at::Tensor& input, std::string_view approximate) {
  refuse_tangents<ops::gelu_and_mul>(input);
  if (!needs_gradient(input)) return below_autograd<ops::gelu_and_mul>(keys, input, approximate);
  const auto node = make_node<GeluAndMulGradient>(input);
  auto result = below_autograd<ops::gelu_and_mul>(keys, input, approximate);
  attach(node, result);
  complete(node, SavedInput(input), std::string(approximate));
  return result;
}

}  // namespace myops::autograd
