// sum and argmax on Meta: contiguous results without the reduced dimensions.
#include "schema/contract/reductions.h"

#include <ATen/ops/empty.h>

#include "backend_meta/kernels.h"

namespace myops::meta {

at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  contract::check_dtype("myops::sum", {"self", self}, contract::Dtypes::kNumbersAndBool);
  const auto shape =
      contract::reduced_shape(self.sym_sizes(), contract::checked_dims("myops::sum", self, dim), keepdim);
  const at::ScalarType dtype = self.is_floating_point() ? self.scalar_type() : at::kLong;
  return at::empty_symint(shape, self.options().dtype(dtype));
}

at::Tensor argmax(const at::Tensor& self, int64_t dim) {
  const contract::DimSet reduced = contract::DimSet().set(contract::checked_argmax_dim("myops::argmax", self, dim));
  const auto shape = contract::reduced_shape(self.sym_sizes(), reduced, /*keepdim=*/false);
  return at::empty_symint(shape, self.options().dtype(at::kLong));
}

}  // namespace myops::meta
