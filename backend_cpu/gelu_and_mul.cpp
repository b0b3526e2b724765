// gelu_and_mul and gelu_and_mul_backward on CPU.
#include "backend_cpu/gated_operator.h"
#include "backend_cpu/gelu_and_mul_kernel.h"
#include "backend_cpu/kernels.h"

namespace myops::cpu {

at::Tensor gelu_and_mul(const at::Tensor& input, std::string_view approximate) {
  constexpr auto op = "myops::gelu_and_mul";
  contract::check_gated_input(op, input);
  return contract::is_tanh(op, approximate) ? gated_product<GeluOfTanh>(input) : gated_product<GeluOfNormal>(input);
}

at::Tensor gelu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input, std::string_view approximate) {
  constexpr auto op = "myops::gelu_and_mul_backward";
  contract::check_gated_backward(op, grad, input);
  return contract::is_tanh(op, approximate) ? gated_product_backward<GeluOfTanh>(grad, input)
                                            : gated_product_backward<GeluOfNormal>(grad, input);
}

}  // namespace myops::cpu
