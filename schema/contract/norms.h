// The contract of the normalisations and of their backward operators: one row is the last dimension.
#pragma once

#include "schema/contract/arguments.h"

namespace myops::contract {

// `parameter` (weight or bias) may be absent; else it has shape [input.size(-1)] and input's dtype and device.
inline void check_norm_parameter(const char* op, const char* name, const std::optional<at::Tensor>& parameter,
                                 const at::Tensor& input) {
  const at::Tensor* tensor = given(parameter);
  if (tensor == nullptr) {
    return;
  }
  check_alike(op, {name, *tensor}, {"input", input});
  const c10::SymInt expected = input.sym_size(-1);
  TORCH_CHECK(tensor->dim() == 1 && tensor->sym_size(0).sym_eq(expected).expect_true(__FILE__, __LINE__), op, ": ",
              name, " must have shape [", expected, "], got ", tensor->sym_sizes());
}

// `input` is floating and has rows; call this first.
inline void check_norm_input(const char* op, const at::Tensor& input) {
  check_dtype(op, {"input", input}, Dtypes::kFloating);
  check_dims(op, {"input", input}, 1);
}

// `tensor` (residual or gradient) is like `input` in everything but strides.
inline void check_norm_companion(const char* op, const char* name, const at::Tensor& tensor, const at::Tensor& input) {
  check_alike(op, {name, tensor}, {"input", input});
  check_same_shape(op, {name, tensor}, {"input", input});
}

// What a backward operator is given: the gradient of its result, and what the forward operator had.
inline void check_norm_backward(const char* op, const at::Tensor& grad, const at::Tensor& input,
                                const std::optional<at::Tensor>& weight) {
  check_norm_input(op, input);
  check_norm_companion(op, "grad", grad, input);
  check_norm_parameter(op, "weight", weight, input);
}

}  // namespace myops::contract
