// argmax on CPU.
#include <ATen/Dispatch.h>
#include <ATen/EmptyTensor.h>

#include "backend_cpu/argmax_kernel.h"
#include "backend_cpu/kernels.h"
#include "backend_cpu/threads.h"
#include "schema/contract/reductions.h"

namespace myops::cpu {

at::Tensor argmax(const at::Tensor& self, int64_t dim) {
  const int64_t reduced_dim = contract::checked_argmax_dim("myops::argmax", self, dim);
  const contract::DimSet reduced = contract::DimSet().set(reduced_dim);
  at::Tensor output = at::detail::empty_cpu(contract::reduced_shape(self.sizes(), reduced, false), at::kLong);
  const Reduction reduction =
      make_reduction(self.sizes().data(), self.strides().data(), static_cast<int>(self.dim()), reduced);
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, self.scalar_type(), "myops::argmax", [&] {
    const Argmax<scalar_t> kernel(self.const_data_ptr<scalar_t>(), reduction, output.mutable_data_ptr<int64_t>());
    share_out(kernel.pieces(), kernel.elements_per_piece(), [&](int64_t begin, int64_t end) { kernel(begin, end); });
  });
  return output;
}

}  // namespace myops::cpu
