// Counts the writes of myadd_ and myadd.out, so that a tensor saved for a backward pass and changed since is noticed.
#include "myops/ops/myadd.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

#include "inplace_or_view/kernels.h"

namespace myops::inplace_or_view {
namespace {

// torch's increment_version throws this after the write; here it comes before.
void refuse_inference_tensor(const at::Tensor& written, const char* operation) {
  TORCH_CHECK(!written.is_inference() || c10::InferenceMode::is_enabled(), operation,
              ": in-place update of an inference tensor outside InferenceMode is not allowed; make a normal tensor of "
              "it with clone() first");
}

}  // namespace

at::Tensor& myadd_(c10::DispatchKeySet keys, at::Tensor& self, const at::Tensor& other) {
  refuse_inference_tensor(self, "myops::myadd_");
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    ops::myadd_::redispatch(keys & c10::after_ADInplaceOrView_keyset, self, other);
  }
  torch::autograd::increment_version(self);
  return self;
}

at::Tensor& myadd_out(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  refuse_inference_tensor(out, "myops::myadd.out");
  {
    const at::AutoDispatchBelowADInplaceOrView guard;
    ops::myadd_out::redispatch(keys & c10::after_ADInplaceOrView_keyset, self, other, out);
  }
  torch::autograd::increment_version(out);
  return out;
}

}  // namespace myops::inplace_or_view
