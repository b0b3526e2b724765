// The kernels of myops_cpu; each has its operator's C++ signature (myops/ops/<op>.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <tuple>

namespace myops::cpu {

at::Tensor myadd(const at::Tensor& self, const at::Tensor& other);
at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other);
at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out);
at::Tensor mymatmul(const at::Tensor& self, const at::Tensor& other);
at::Tensor my_multiple_input_op(const at::Tensor& t0, const at::Tensor& t1);

at::Tensor sum(const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim);
at::Tensor diagonal(const at::Tensor& self);
at::Tensor argmax(const at::Tensor& self, int64_t dim);

at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps);
std::tuple<at::Tensor, at::Tensor> rms_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                     const std::optional<at::Tensor>& weight, double eps,
                                                     std::array<bool, 2> output_mask);
at::Tensor layer_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps);
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask);
std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& input, const at::Tensor& residual,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps);

}  // namespace myops::cpu
