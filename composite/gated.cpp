// The gated activations and their gradients in ATen terms: computed in float32 (float64 for float64) and rounded once,
// as the CPU kernels are.
#include "schema/contract/gated.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include "composite/kernels.h"
#include "composite/widened.h"

namespace myops::composite {
namespace {

struct Halves {
  at::Tensor first;
  at::Tensor second;
};

Halves halves(const at::Tensor& input) {
  const c10::SymInt half = input.sym_size(-1) / 2;
  return {input.narrow_symint(-1, 0, half), input.narrow_symint(-1, half, half)};
}

}  // namespace

at::Tensor silu_and_mul(const at::Tensor& input) {
  contract::check_gated_input("myops::silu_and_mul", input);
  const auto [a, b] = halves(widened(input));
  return rounded(at::silu(a) * b, input.scalar_type());
}

at::Tensor silu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input) {
  contract::check_gated_backward("myops::silu_and_mul_backward", grad, input);
  const auto [a, b] = halves(widened(input));
  const at::Tensor slope = widened(grad);
  return rounded(at::cat({at::silu_backward(slope * b, a), slope * at::silu(a)}, -1), input.scalar_type());
}

at::Tensor gelu_and_mul(const at::Tensor& input, std::string_view approximate) {
  contract::check_gated_input("myops::gelu_and_mul", input);
  contract::check_approximate("myops::gelu_and_mul", approximate);
  const auto [a, b] = halves(widened(input));
  return rounded(at::gelu(a, approximate) * b, input.scalar_type());
}

at::Tensor gelu_and_mul_backward(const at::Tensor& grad, const at::Tensor& input, std::string_view approximate) {
  contract::check_gated_backward("myops::gelu_and_mul_backward", grad, input);
  contract::check_approximate("myops::gelu_and_mul_backward", approximate);
  const auto [a, b] = halves(widened(input));
  const at::Tensor slope = widened(grad);
  const at::Tensor of_first = at::gelu_backward(slope * b, a, approximate);
  return rounded(at::cat({of_first, slope * at::gelu(a, approximate)}, -1), input.scalar_type());
}

}  // namespace myops::composite
