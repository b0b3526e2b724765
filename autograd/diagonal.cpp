// Gradient of the diagonal: zeros, with the incoming one on the main diagonal. That the result is a view of `self` is
// recorded on ADInplaceOrView, which runs below.
#include "myops/ops/diagonal.h"

#include <ATen/ops/diagonal_backward.h>

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct DiagonalGradient {
  static constexpr const char* kName = "DiagonalBackward";
  static constexpr size_t kEdges = 1;
  using Saved = std::tuple<std::vector<c10::SymInt>>;  // sizes of self

  static Gradients<1> gradients(const variable_list& grads, const Wanted<1>& /*wanted*/,
                                const std::vector<c10::SymInt>& sizes) {
    return {at::diagonal_backward_symint(grads[0], sizes, /*offset=*/0, /*dim1=*/0, /*dim2=*/1)};
  }
};

}  // namespace

at::Tensor diagonal(c10::DispatchKeySet keys, const at::Tensor& self) {
  refuse_tangents<ops::diagonal>(self);
  if (!needs_gradient(self)) return below_autograd_of_alias<ops::diagonal>(keys, self);
  const auto node = make_node<DiagonalGradient>(self);
  auto result = below_autograd_of_alias<ops::diagonal>(keys, self);
  attach(node, result);
  complete(node, self.sym_sizes().vec());
  return result;
}

}  // namespace myops::autograd
