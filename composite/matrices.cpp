// mymatmul and diagonal in ATen terms.
#include <ATen/ops/diagonal.h>
#include <ATen/ops/matmul.h>

#include "composite/kernels.h"
#include "schema/contract/diagonal.h"
#include "schema/contract/matmul.h"

namespace myops::composite {

at::Tensor mymatmul(const at::Tensor& self, const at::Tensor& other) {
  contract::check_matmul("myops::mymatmul", self, other);
  return at::matmul(self, other);
}

at::Tensor diagonal(const at::Tensor& self) {
  contract::check_diagonal(self);
  return at::diagonal(self, /*offset=*/0, /*dim1=*/0, /*dim2=*/1);
}

}  // namespace myops::composite
