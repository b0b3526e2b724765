// silu_and_mul and silu_and_mul_backward on CPU.
#include "backend_cpu/gated_operator.h"
#include "backend_cpu/kernels.h"
#include "backend_cpu/silu_and_mul_kernel.h"

namespace myops::cpu {

at::Tensor silu_and_mul(const at::Tensor& input) {
  constexpr auto op = "myops::silu_and_mul";
  contract::check_gated_input(op, input);
  return gated_product<Silu>(input);
}

at::Tensor silu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input) {
  constexpr auto op = "myops::silu_and_mul_backward";
  contract::check_gated_backward(op, grad, input);
  return gated_product_backward<Silu>(grad, input);
}

}  // namespace myops::cpu
