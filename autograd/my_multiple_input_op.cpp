// Gradients of t0 * t1 + t0.
#include "myops/ops/my_multiple_input_op.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/mul.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct MyMultipleInputOpGradient {
  static constexpr const char* kName = "MyMultipleInputOpBackward";
  static constexpr size_t kEdges = 2;
  using Saved = std::tuple<SavedInput, SavedInput>;

  static Gradients<2> gradients(const variable_list& grads, const Wanted<2>& wanted, const at::Tensor& t0,
                                const at::Tensor& t1) {
    const auto& grad = grads[0];
    return {wanted[0] ? at::addcmul(grad, grad, t1) : at::Tensor(), wanted[1] ? at::mul(grad, t0) : at::Tensor()};
  }
};

}  // namespace

at::Tensor my_multiple_input_op(c10::DispatchKeySet keys, const at::Tensor& t0, const at::Tensor& t1) {
  refuse_tangents<ops::my_multiple_input_op>(t0, t1);
  if (!needs_gradient(t0, t1)) return below_autograd<ops::my_multiple_input_op>(keys, t0, t1);
  const auto node = make_node<MyMultipleInputOpGradient>(t0, t1);
  auto result = below_autograd<ops::my_multiple_input_op>(keys, t0, t1);
  attach(node, result);
  complete(node, saved_if(node->should_compute_output(1), t0), saved_if(node->should_compute_output(0), t1));
  return result;
}

}  // namespace myops::autograd
