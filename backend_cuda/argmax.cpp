// argmax on CUDA.
#include "backend_cuda/device_tensors.h"
#include "backend_cuda/kernels.h"
#include "backend_cuda/reductions.h"
#include "schema/contract/reductions.h"

namespace myops::cuda {

at::Tensor argmax(const at::Tensor& self, int64_t dim) {
  constexpr auto op = "myops::argmax";
  const contract::DimSet reduced = contract::DimSet().set(contract::checked_argmax_dim(op, self, dim));
  const c10::cuda::CUDAGuard guard(self.device());
  at::Tensor output = empty_on_device(contract::reduced_shape(self.sizes(), reduced, false), at::kLong);
  if (output.numel() == 0) {
    return output;
  }
  const Reduction reduction =
      make_reduction(self.sizes().data(), self.strides().data(), static_cast<int>(self.dim()), reduced);
  const Scratch partial(scratch_bytes(reduction));
  check_launch(op, self,
               launch_argmax(dtype_of(self), self.const_data_ptr(), reduction, partial.get(), output.mutable_data_ptr(),
                             current_stream()));
  return output;
}

}  // namespace myops::cuda
