// Makes the result of diagonal a differentiable view of its argument: shared version counter, and writes into the view
// reach the history of the base.
#include "myops/ops/diagonal.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <functional>
#include <memory>
#include <utility>

#include "inplace_or_view/kernels.h"

namespace myops::inplace_or_view {
namespace {

using torch::autograd::CreationMeta;
using torch::autograd::ViewFunc;

// Takes the view of another base. It has no state.
struct DiagonalView final : ViewFunc {
  at::Tensor operator()(const at::Tensor& base) const override { return ops::diagonal::call(base); }
  std::unique_ptr<ViewFunc> clone_and_set(std::optional<std::vector<c10::SymInt>> /*symints*/,
                                          std::optional<std::vector<at::Tensor>> /*tensors*/) const override {
    return std::make_unique<DiagonalView>();
  }
};

// torch takes a view again by its sizes and strides, which is faster, except for these tensors and in this mode.
bool must_replay(const at::Tensor& base) {
  const auto* impl = base.unsafeGetTensorImpl();
  return !impl->support_as_strided() || impl->is_python_dispatch() ||
         c10::AutogradState::get_tls_state().get_view_replay_enabled();
}

// From a view back to its base.
std::function<at::Tensor(const at::Tensor&)> base_of_view(const at::Tensor& base) {
  return [sizes = base.sym_sizes().vec(), strides = base.sym_strides().vec(), offset = base.sym_storage_offset()](
             const at::Tensor& view) { return view.as_strided_symint(sizes, strides, offset); };
}

CreationMeta creation_meta() {
  if (c10::InferenceMode::is_enabled()) return CreationMeta::INFERENCE_MODE;
  return at::GradMode::is_enabled() ? CreationMeta::DEFAULT : CreationMeta::NO_GRAD_MODE;
}

}  // namespace

at::Tensor diagonal(c10::DispatchKeySet keys, const at::Tensor& self) {
  const auto view = [&] {
    const at::AutoDispatchBelowADInplaceOrView guard;
    return ops::diagonal::redispatch(keys & c10::after_ADInplaceOrView_keyset, self);
  }();
  const bool replay = must_replay(self);
  return torch::autograd::as_view(self, view, /*is_bw_differentiable=*/true, /*is_fw_differentiable=*/true,
                                  replay ? std::make_unique<DiagonalView>() : nullptr,
                                  replay ? base_of_view(self) : nullptr, creation_meta());
}

}  // namespace myops::inplace_or_view
