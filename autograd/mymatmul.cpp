// Gradients of the matrix product, in ATen terms, so that they can be differentiated again.
#include "myops/ops/mymatmul.h"

#include <ATen/ops/matmul.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

// `self` transposed · grad for `other`, all given with at least two dimensions. Where `other` is one matrix for a whole
// batch, the batch is summed inside one product instead of making a gradient for each of its members.
at::Tensor gradient_of_right(const at::Tensor& self, const at::Tensor& grad, bool right_is_matrix) {
  if (right_is_matrix && self.dim() > 2) return at::matmul(self.flatten(0, -2).mH(), grad.flatten(0, -2));
  return at::matmul(self.mH(), grad);
}

struct MymatmulGradient {
  static constexpr const char* kName = "MymatmulBackward";
  static constexpr size_t kEdges = 2;
  using Saved = std::tuple<SavedInput, SavedInput, int64_t, int64_t>;

  // A vector is a row on the left and a column on the right, as in at::matmul.
  static Gradients<2> gradients(const variable_list& grads, const Wanted<2>& wanted, const at::Tensor& self,
                                const at::Tensor& other, int64_t self_dim, int64_t other_dim) {
    auto grad = grads[0];
    if (self_dim == 1) grad = grad.unsqueeze(other_dim == 1 ? -1 : -2);
    if (other_dim == 1) grad = grad.unsqueeze(-1);
    Gradients<2> result;
    if (wanted[0]) result[0] = at::matmul(grad, other_dim == 1 ? other.conj().unsqueeze(0) : other.mH());
    if (wanted[1]) {
      result[1] = gradient_of_right(self_dim == 1 ? self.unsqueeze(0) : self, grad, other_dim <= 2);
      if (other_dim == 1) result[1] = result[1].squeeze(-1);
    }
    return result;
  }
};

}  // namespace

at::Tensor mymatmul(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other) {
  refuse_tangents<ops::mymatmul>(self, other);
  if (!needs_gradient(self, other)) return below_autograd<ops::mymatmul>(keys, self, other);
  const auto node = make_node<MymatmulGradient>(self, other);
  auto result = below_autograd<ops::mymatmul>(keys, self, other);
  attach(node, result);
  complete(node, saved_if(node->should_compute_output(1), self), saved_if(node->should_compute_output(0), other),
           self.dim(), other.dim());
  return result;
}

}  // namespace myops::autograd
