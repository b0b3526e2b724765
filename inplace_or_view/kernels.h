// The kernels of this library; register.cpp registers them on ADInplaceOrView.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>

namespace myops::inplace_or_view {

at::Tensor& myadd_(c10::DispatchKeySet keys, at::Tensor& self, const at::Tensor& other);
at::Tensor& myadd_out(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other, at::Tensor& out);
at::Tensor diagonal(c10::DispatchKeySet keys, const at::Tensor& self);

}  // namespace myops::inplace_or_view
