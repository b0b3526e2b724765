// Tensors in the dtype in which norms and gated activations compute, and the way back.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "schema/contract/arguments.h"

namespace myops::composite {

inline at::Tensor widened(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat);
}

inline std::optional<at::Tensor> widened(const std::optional<at::Tensor>& tensor) {
  const at::Tensor* present = contract::given(tensor);
  return present == nullptr ? std::nullopt : std::optional(widened(*present));
}

// A new tensor with the strides of a dense one: contiguous() would keep odd strides of empty tensors and of sizes of 1.
inline at::Tensor rounded(const at::Tensor& tensor, at::ScalarType dtype) {
  return tensor.to(dtype, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
}

}  // namespace myops::composite
