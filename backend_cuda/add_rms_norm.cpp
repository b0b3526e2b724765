// add_rms_norm on CUDA.
#include "backend_cuda/kernels.h"
#include "backend_cuda/norm_tensors.h"

namespace myops::cuda {

std::tuple<at::Tensor, at::Tensor> add_rms_norm(const at::Tensor& input, const at::Tensor& residual,
                                                const std::optional<at::Tensor>& weight, double eps) {
  constexpr auto op = "myops::add_rms_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_companion(op, "residual", residual, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  return add_then_norm(op, Norm::kRms, input, residual, weight, std::nullopt, eps);
}

}  // namespace myops::cuda
