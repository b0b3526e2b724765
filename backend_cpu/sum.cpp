// sum on CPU.
#include <ATen/Dispatch.h>
#include <ATen/EmptyTensor.h>

#include "backend_cpu/kernels.h"
#include "backend_cpu/sum_kernel.h"
#include "backend_cpu/threads.h"
#include "schema/contract/reductions.h"

namespace myops::cpu {

at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  contract::check_dtype("myops::sum", {"self", self}, contract::Dtypes::kNumbersAndBool);
  const contract::DimSet reduced = contract::checked_dims("myops::sum", self, dim);
  const at::ScalarType dtype = self.is_floating_point() ? self.scalar_type() : at::kLong;
  at::Tensor output = at::detail::empty_cpu(contract::reduced_shape(self.sizes(), reduced, keepdim), dtype);
  const Reduction reduction =
      make_reduction(self.sizes().data(), self.strides().data(), static_cast<int>(self.dim()), reduced);
  AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, self.scalar_type(), "myops::sum", [&] {
    Sum<scalar_t> kernel(self.const_data_ptr<scalar_t>(), reduction, output.mutable_data_ptr<SumResult<scalar_t>>());
    share_out(kernel.pieces(), kernel.elements_per_piece(), [&](int64_t begin, int64_t end) { kernel(begin, end); });
    kernel.finish();
  });
  return output;
}

}  // namespace myops::cpu
