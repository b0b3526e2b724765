// Tensors in the dtype in which the norms compute.
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

}  // namespace myops::composite
