// silu_and_mul and silu_and_mul_backward on CUDA.
#include "backend_cuda/gated_tensors.h"
#include "backend_cuda/kernels.h"

namespace myops::cuda {

at::Tensor silu_and_mul(const at::Tensor& input) {
  constexpr auto op = "myops::silu_and_mul";
  contract::check_gated_input(op, input);
  return gated_product(op, Activation::kSilu, input);
}

at::Tensor silu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input) {
  constexpr auto op = "myops::silu_and_mul_backward";
  contract::check_gated_backward(op, grad, input);
  return gated_product_backward(op, Activation::kSilu, grad, input);
}

}  // namespace myops::cuda
