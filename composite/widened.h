// Tensors in the dtype in which norms and gated activations compute, and the way back.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/where.h>

#include <limits>
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

// `values` of rows whose variance is within the computing dtype's range, NaN elsewhere: ATen gives one or the other, by
// the row's length.
inline at::Tensor nan_where_infinite(const at::Tensor& values, const at::Tensor& inverse_std) {
  return at::where(inverse_std == 0, std::numeric_limits<double>::quiet_NaN(), values);
}

// A new tensor with the strides of a dense one: contiguous() would keep odd strides of empty tensors and of sizes of 1.
inline at::Tensor rounded(const at::Tensor& tensor, at::ScalarType dtype) {
  return tensor.to(dtype, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
}

}  // namespace myops::composite
