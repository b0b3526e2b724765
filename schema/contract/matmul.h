// The contract of mymatmul: floating arguments of one dtype whose shapes fit at::matmul.
#pragma once

#include "schema/contract/elementwise.h"

namespace myops::contract {

inline void check_matmul(const char* op, const at::Tensor& self, const at::Tensor& other) {
  check_dtype(op, {"self", self}, Dtypes::kFloating);
  check_alike(op, {"other", other}, {"self", self});
  check_dims(op, {"self", self}, 1);
  check_dims(op, {"other", other}, 1);
  const auto left = self.sym_sizes();
  const auto right = other.sym_sizes();
  const c10::SymInt& inner = right[right.size() == 1 ? 0 : right.size() - 2];
  TORCH_CHECK(left.back().sym_eq(inner).expect_true(__FILE__, __LINE__), op, ": other must have ", left.back(),
              " rows to be multiplied by self of shape ", left, ", got shape ", right);
  const auto batch_of = [](c10::SymIntArrayRef sizes) {
    return sizes.slice(0, sizes.size() > 2 ? sizes.size() - 2 : 0);
  };
  TORCH_CHECK(broadcasts(batch_of(right), batch_of(left), true), op,
              ": other must have batch dimensions that broadcast with those of self's shape ", left, ", got shape ",
              right);
}

}  // namespace myops::contract
