// The contract of the gated activations and of their backward operators: a row is the last dimension, in two halves.
#pragma once

#include <string_view>

#include "schema/contract/arguments.h"

namespace myops::contract {

// The shape of the result. Int is int64_t or c10::SymInt.
template <class Int>
c10::SmallVector<Int, 5> gated_shape(c10::ArrayRef<Int> sizes) {
  c10::SmallVector<Int, 5> shape(sizes.begin(), sizes.end());
  shape.back() = shape.back() / 2;
  return shape;
}

// `input` is floating and has rows of two halves; call this first.
inline void check_gated_input(const char* op, const at::Tensor& input) {
  check_dtype(op, {"input", input}, Dtypes::kFloating);
  check_dims(op, {"input", input}, 1);
  TORCH_CHECK((input.sym_size(-1) % 2).sym_eq(0).expect_true(__FILE__, __LINE__), op,
              ": input must have an even last dimension, got shape ", input.sym_sizes());
}

// As at::gelu spells it.
inline void check_approximate(const char* op, std::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh", op, ": approximate must be 'none' or 'tanh', got '",
              approximate, "'");
}

// Whether gelu is to be approximated by tanh.
inline bool is_tanh(const char* op, std::string_view approximate) {
  check_approximate(op, approximate);
  return approximate == "tanh";
}

// What a backward operator is given: the gradient of its result, and what the forward operator had.
inline void check_gated_backward(const char* op, const at::Tensor& grad, const at::Tensor& input) {
  check_gated_input(op, input);
  check_alike(op, {"grad", grad}, {"input", input});
  check_shape(op, {"grad", grad}, gated_shape(input.sym_sizes()), "the result");
}

}  // namespace myops::contract
