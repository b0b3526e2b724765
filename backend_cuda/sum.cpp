// sum on CUDA.
#include "backend_cuda/device_tensors.h"
#include "backend_cuda/kernels.h"
#include "backend_cuda/reductions.h"
#include "schema/contract/reductions.h"

namespace myops::cuda {

at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim) {
  constexpr auto op = "myops::sum";
  contract::check_dtype(op, {"self", self}, contract::Dtypes::kNumbersAndBool);
  const contract::DimSet reduced = contract::checked_dims(op, self, dim);
  const c10::cuda::CUDAGuard guard(self.device());
  const at::ScalarType dtype = self.is_floating_point() ? self.scalar_type() : at::kLong;
  at::Tensor output = empty_on_device(contract::reduced_shape(self.sizes(), reduced, keepdim), dtype);
  if (output.numel() == 0) {
    return output;
  }
  const Reduction reduction =
      make_reduction(self.sizes().data(), self.strides().data(), static_cast<int>(self.dim()), reduced);
  const Scratch partial(scratch_bytes(reduction));
  check_launch(op, self,
               launch_sum(dtype_of(self), self.const_data_ptr(), reduction, partial.get(), output.mutable_data_ptr(),
                          current_stream()));
  return output;
}

}  // namespace myops::cuda
