// A result as most operators have it: contiguous, of the input's shape, dtype and device.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace myops::meta {

inline at::Tensor like_input(const at::Tensor& input) { return at::empty_symint(input.sym_sizes(), input.options()); }

}  // namespace myops::meta
