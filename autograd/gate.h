// What every autograd kernel does before and around the call below it. Knows no operator.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DispatchKeySet.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <utility>

namespace myops::autograd {

// Grad mode is on and one of the tensors requires a gradient.
template <class... Tensors>
bool needs_gradient(const Tensors&... tensors) {
  return torch::autograd::compute_requires_grad(tensors...);
}

// There are no forward-mode formulas: without this refusal a tangent would be dropped and jvp return 0.
template <class Op, class... Tensors>
void refuse_tangents(const Tensors&... tensors) {
  TORCH_CHECK_NOT_IMPLEMENTED(!(torch::autograd::isFwGradDefined(tensors) || ...), Op::name,
                              ": forward-mode AD is not implemented");
}

// Calls the kernel below, with nothing recorded inside it.
template <class Op, class... Args>
decltype(auto) below_autograd(c10::DispatchKeySet keys, Args&&... args) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  return Op::redispatch(keys & c10::after_autograd_keyset, std::forward<Args>(args)...);
}

// The same for an operator that has a kernel on ADInplaceOrView, which is still to run.
template <class Op, class... Args>
decltype(auto) below_autograd_of_alias(c10::DispatchKeySet keys, Args&&... args) {
  const at::AutoDispatchBelowAutograd guard;
  return Op::redispatch(keys & c10::after_autograd_keyset, std::forward<Args>(args)...);
}

}  // namespace myops::autograd
