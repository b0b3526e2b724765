// The contract of diagonal: a dense tensor of at least two dimensions, whose first two it takes.
#pragma once

#include "schema/contract/arguments.h"

namespace myops::contract {

inline void check_diagonal(const at::Tensor& self) {
  check_dense("myops::diagonal", {"self", self});
  check_dims("myops::diagonal", {"self", self}, 2);
}

}  // namespace myops::contract
