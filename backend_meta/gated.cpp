// The gated activations and their backward operators on Meta: contiguous results of the input's dtype.
#include "schema/contract/gated.h"

#include <ATen/ops/empty.h>

#include "backend_meta/kernels.h"
#include "backend_meta/like_input.h"

namespace myops::meta {
namespace {

at::Tensor like_half(const at::Tensor& input) {
  return at::empty_symint(contract::gated_shape(input.sym_sizes()), input.options());
}

}  // namespace

at::Tensor silu_and_mul(const at::Tensor& input) {
  contract::check_gated_input("myops::silu_and_mul", input);
  return like_half(input);
}

at::Tensor silu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input) {
  contract::check_gated_backward("myops::silu_and_mul_backward", grad, input);
  return like_input(input);
}

at::Tensor gelu_and_mul(const at::Tensor& input, std::string_view approximate) {
  contract::check_gated_input("myops::gelu_and_mul", input);
  contract::check_approximate("myops::gelu_and_mul", approximate);
  return like_half(input);
}

at::Tensor gelu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input, std::string_view approximate) {
  contract::check_gated_backward("myops::gelu_and_mul_backward", grad, input);
  contract::check_approximate("myops::gelu_and_mul_backward", approximate);
  return like_input(input);
}

}  // namespace myops::meta
