// layer_norm and layer_norm_backward on CUDA.
#include "backend_cuda/kernels.h"
#include "backend_cuda/norm_tensors.h"

namespace myops::cuda {

at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  constexpr auto op = "myops::layer_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  contract::check_norm_parameter(op, "bias", bias, input);
  const c10::cuda::CUDAGuard guard(input.device());
  at::Tensor output = empty_like_input(input);
  if (input.numel() > 0) {
    const NormForward call = norm_of(input, weight, bias, eps, output);
    check_launch(op, input, launch_norm(Norm::kLayer, dtype_of(input), call, current_stream()));
  }
  return output;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
  constexpr auto op = "myops::layer_norm_backward";
  contract::check_norm_backward(op, grad, input, weight);
  const Wanted wanted{output_mask[0], output_mask[1], output_mask[2]};
  const Gradients gradients = norm_gradients(op, Norm::kLayer, grad, input, weight, eps, wanted);
  return {gradients.input, gradients.weight, gradients.bias};
}

}  // namespace myops::cuda
