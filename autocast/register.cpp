// The policy of every operator, and the registrations: one table for all devices. README.md has it in words.
#include <torch/library.h>

#include "autocast/kernel.h"
#include "myops/impl.h"
#include "myops/ops.h"

namespace myops::autocast {
namespace {

template <Policy policy, at::DeviceType device, class... Op>
void cast(torch::Library& m) {
  (impl<Op>(m, Kernel<policy, device, Op>::call), ...);
}

template <class... Op>
void pass(torch::Library& m) {
  (impl_boxed<Op>(m, torch::CppFunction::makeFallthrough()), ...);
}

template <at::DeviceType device>
void register_policies(torch::Library& m) {
  cast<Policy::kLowerPrecision, device, ops::mymatmul>(m);
  cast<Policy::kFloat32, device, ops::sum, ops::rms_norm, ops::add_rms_norm, ops::layer_norm, ops::add_layer_norm>(m);
  cast<Policy::kPromote, device, ops::myadd, ops::my_multiple_input_op>(m);
  // The target's dtype is given and must stay.
  pass<ops::myadd_, ops::myadd_out>(m);
  // They compute nothing that a dtype could make better or faster.
  pass<ops::diagonal, ops::argmax>(m);
  // One argument, rounded once whatever its dtype: as torch leaves silu and gelu alone.
  pass<ops::silu_and_mul, ops::gelu_and_mul>(m);
  // Their arguments have the dtype in which the operator itself ran.
  pass<ops::rms_norm_backward, ops::layer_norm_backward, ops::silu_and_mul_backward, ops::gelu_and_mul_backward>(m);
}

TORCH_LIBRARY_IMPL(myops, AutocastCPU, m) { register_policies<at::kCPU>(m); }
TORCH_LIBRARY_IMPL(myops, AutocastCUDA, m) { register_policies<at::kCUDA>(m); }

}  // namespace
}  // namespace myops::autocast
