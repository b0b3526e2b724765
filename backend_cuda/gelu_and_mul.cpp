// gelu_and_mul and gelu_and_mul_backward on CUDA.
#include "backend_cuda/gated_tensors.h"
#include "backend_cuda/kernels.h"

namespace myops::cuda {
namespace {

Activation activation_of(const char* op, std::string_view approximate) {
  return contract::is_tanh(op, approximate) ? Activation::kGeluTanh : Activation::kGelu;
}

}  // namespace

at::Tensor gelu_and_mul(const at::Tensor& input, std::string_view approximate) {
  constexpr auto op = "myops::gelu_and_mul";
  contract::check_gated_input(op, input);
  return gated_product(op, activation_of(op, approximate), input);
}

at::Tensor gelu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input, std::string_view approximate) {
  constexpr auto op = "myops::gelu_and_mul_backward";
  contract::check_gated_backward(op, grad, input);
  return gated_product_backward(op, activation_of(op, approximate), grad, input);
}

}  // namespace myops::cuda
