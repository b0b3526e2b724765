// One autocast kernel for every operator, made from its schema and a policy. Knows no operator by name.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "autocast/policy.h"

namespace myops::autocast {

template <Policy policy, at::DeviceType device, class Op, class Schema = typename Op::Schema>
struct Kernel;

template <Policy policy, at::DeviceType device, class Op, class Return, class... Args>
struct Kernel<policy, device, Op, Return(Args...)> {
  // Casts the eligible arguments and calls the operator again with autocast off, so nothing is cast twice. The casts
  // are differentiable and lie above the operator's own gradient, which so runs in the dtype the operator ran in.
  static Return call(Args... args) {
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(
        at::autocast::get_autocast_dispatch_key_from_device_type(device));
    const auto dtype = target_dtype<policy>(device, args...);
    if (!dtype.has_value()) return Op::call(args...);
    return Op::call(cast(*dtype, args)...);
  }

 private:
  // torch keeps the cast of a float32 parameter to the lower precision until the region ends.
  static at::Tensor cast(at::ScalarType dtype, const at::Tensor& tensor) {
    return at::autocast::cached_cast(dtype, tensor, device);
  }
  static std::optional<at::Tensor> cast(at::ScalarType dtype, const std::optional<at::Tensor>& tensor) {
    return at::autocast::cached_cast(dtype, tensor, device);
  }
  template <class NotATensor>
  static NotATensor cast(at::ScalarType /*dtype*/, NotATensor argument) {
    return argument;
  }
};

}  // namespace myops::autocast
