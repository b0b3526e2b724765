// Gradients of myadd and myadd_: the incoming one, for both arguments. The out form has none and says so.
#include "myops/ops/myadd.h"

#include "autograd/gate.h"
#include "autograd/kernels.h"
#include "autograd/node.h"

namespace myops::autograd {
namespace {

struct MyaddGradient {
  static constexpr const char* kName = "MyaddBackward";
  static constexpr size_t kEdges = 2;
  using Saved = std::tuple<>;

  static Gradients<2> gradients(const variable_list& grads, const Wanted<2>& wanted) {
    return {wanted[0] ? grads[0] : at::Tensor(), wanted[1] ? grads[0] : at::Tensor()};
  }
};

}  // namespace

at::Tensor myadd(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other) {
  refuse_tangents<ops::myadd>(self, other);
  if (!needs_gradient(self, other)) return below_autograd<ops::myadd>(keys, self, other);
  const auto node = make_node<MyaddGradient>(self, other);
  auto result = below_autograd<ops::myadd>(keys, self, other);
  attach(node, result);
  complete(node);
  return result;
}

at::Tensor& myadd_(c10::DispatchKeySet keys, at::Tensor& self, const at::Tensor& other) {
  refuse_tangents<ops::myadd_>(self, other);
  if (!needs_gradient(self, other)) return below_autograd_of_alias<ops::myadd_>(keys, self, other);
  torch::autograd::check_inplace(self, /*requires_grad=*/true);
  const auto node = make_node<MyaddGradient>(self, other);
  below_autograd_of_alias<ops::myadd_>(keys, self, other);
  rebase(self, node);
  return self;
}

at::Tensor& myadd_out(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  refuse_tangents<ops::myadd_out>(self, other, out);
  if (needs_gradient(self, other, out)) torch::autograd::throw_error_out_requires_grad("myops::myadd");
  return below_autograd_of_alias<ops::myadd_out>(keys, self, other, out);
}

}  // namespace myops::autograd
