// Gradients of silu_and_mul: one call of myops::silu_and_mul_backward.
#include "myops/ops/silu_and_mul.h"

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct SiluAndMulGradient {
  static constexpr const char* kName = "SiluAndMulBackward";
  static constexpr size_t kEdges = 1;
  using Saved = std::tuple<SavedInput>;

  static Gradients<1> gradients(const variable_list& grads, const Wanted<1>& /*wanted*/, const at::Tensor& input) {
    return {ops::silu_and_mul_backward::call(grads[0], input)};
  }
};

}  // namespace

at::Tensor silu_and_mul(c10::DispatchKeySet keys, const at::Tensor& input) {
  refuse_tangents<ops::silu_and_mul>(input);
  if (!needs_gradient(input)) return below_autograd<ops::silu_and_mul>(keys, input);
  const auto node = make_node<SiluAndMulGradient>(input);
  auto result = below_autograd<ops::silu_and_mul>(keys, input);
  attach(node, result);
  complete(node, SavedInput(input));
  return result;
}

}  // namespace myops::autograd
