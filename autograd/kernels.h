// The kernels of this library, one file for each operator; register.cpp registers them on Autograd.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

namespace myops::autograd {

at::Tensor myadd(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other);
at::Tensor& myadd_(c10::DispatchKeySet keys, at::Tensor& self, const at::Tensor& other);
at::Tensor& myadd_out(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other, at::Tensor& out);
at::Tensor mymatmul(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& other);
at::Tensor my_multiple_input_op(c10::DispatchKeySet keys, const at::Tensor& t0, const at::Tensor& t1);
at::Tensor sum(c10::DispatchKeySet keys, const at::Tensor& self, at::OptionalIntArrayRef dim, bool keepdim);
at::Tensor diagonal(c10::DispatchKeySet keys, const at::Tensor& self);
at::Tensor rms_norm(c10::DispatchKeySet keys, const at::Tensor& input, const std::optional<at::Tensor>& weight,
                    double eps);
std::tuple<at::Tensor, at::Tensor> add_rms_norm(c10::DispatchKeySet keys, const at::Tensor& input,
                                                const at::Tensor& residual, const std::optional<at::Tensor>& weight,
                                                double eps);
at::Tensor layer_norm(c10::DispatchKeySet keys, const at::Tensor& input, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps);
std::tuple<at::Tensor, at::Tensor> add_layer_norm(c10::DispatchKeySet keys, const at::Tensor& input,
                                                  const at::Tensor& residual, const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps);
at::Tensor silu_and_mul(c10::DispatchKeySet keys, const at::Tensor& input);
at::Tensor gelu_and_mul(c10::DispatchKeySet keys, const at::Tensor& input, std::string_view approximate);
std::tuple<at::Tensor, at::Tensor> rms_norm_backward(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                     const at::Tensor& input, const std::optional<at::Tensor>& weight,
                                                     double eps, std::array<bool, 2> output_mask);
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(c10::DispatchKeySet keys, const at::Tensor& grad,
                                                                   const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask);
at::Tensor silu_and_mul_backward(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input);
at::Tensor gelu_and_mul_backward(c10::DispatchKeySet keys, const at::Tensor& grad, const at::Tensor& input,
                                 std::string_view approximate);

}  // namespace myops::autograd
