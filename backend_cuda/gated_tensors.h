// From tensors to the kernels of the gated activations. Arguments have been checked by schema/contract/gated.h.
#pragma once

#include "backend_cuda/gated.h"
#include "backend_cuda/norm_tensors.h"
#include "schema/contract/gated.h"

namespace myops::cuda {

inline at::Tensor gated_product(const char* op, Activation activation, const at::Tensor& input) {
  const c10::cuda::CUDAGuard guard(input.device());
  at::Tensor output = empty_on_device(contract::gated_shape(input.sizes()), input.scalar_type());
  if (input.numel() > 0) {
    const int64_t size = input.size(-1);
    const Gated call{rows_of(input), output.mutable_data_ptr(), input.numel() / size, size / 2};
    check_launch(op, input, launch_gated(activation, dtype_of(input), call, current_stream()));
  }
  return output;
}

inline at::Tensor gated_product_backward(const char* op, Activation activation, const at::Tensor& grad,
                                         const at::Tensor& input) {
  const c10::cuda::CUDAGuard guard(input.device());
  at::Tensor grad_input = empty_like_input(input);
  if (input.numel() > 0) {
    const int64_t size = input.size(-1);
    const GatedBackward call{rows_of(grad), rows_of(input), grad_input.mutable_data_ptr(), input.numel() / size,
                             size / 2};
    check_launch(op, input, launch_gated_backward(activation, dtype_of(input), call, current_stream()));
  }
  return grad_input;
}

}  // namespace myops::cuda
