// sum and argmax in ATen terms.
#include "schema/contract/reductions.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/sum.h>

#include "composite/kernels.h"

namespace myops::composite {

at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  contract::check_dtype("myops::sum", {"self", self}, contract::Dtypes::kNumbersAndBool);
  contract::checked_dims("myops::sum", self, dim);
  return at::sum(self, dim, keepdim);
}

at::Tensor argmax(const at::Tensor& self, int64_t dim) {
  return at::argmax(self, contract::checked_argmax_dim("myops::argmax", self, dim), /*keepdim=*/false);
}

}  // namespace myops::composite
