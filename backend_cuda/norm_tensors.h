// From tensors to what the kernels of the norms take. Arguments have been checked by schema/contract/norms.h.
#pragma once

#include "backend_cuda/device_tensors.h"
#include "backend_cuda/norms.h"
#include "backend_cuda/reductions.h"
#include "schema/contract/norms.h"

namespace myops::cuda {

inline Rows rows_of(const at::Tensor& tensor) {
  const int64_t last = tensor.dim() - 1;
  Rows rows;
  rows.data = tensor.const_data_ptr();
  rows.stride = tensor.stride(last);
  for (int64_t d = 0; d < last; ++d) {
    rows.dims.append(tensor.size(d), tensor.stride(d));
  }
  return rows;
}

inline Parameter parameter_of(const std::optional<at::Tensor>& parameter) {
  const at::Tensor* tensor = contract::given(parameter);
  return tensor == nullptr ? Parameter() : Parameter{tensor->const_data_ptr(), tensor->stride(0)};
}

inline at::Tensor empty_like_input(const at::Tensor& input) {
  return empty_on_device(input.sizes(), input.scalar_type());
}

// Of a norm without a residual; there is an element.
inline NormForward norm_of(const at::Tensor& input, const std::optional<at::Tensor>& weight,
                           const std::optional<at::Tensor>& bias, double eps, const at::Tensor& output) {
  const int64_t size = input.size(-1);
  return {rows_of(input),
          Rows(),
          parameter_of(weight),
          parameter_of(bias),
          output.mutable_data_ptr(),
          nullptr,
          input.numel() / size,
          size,
          eps};
}

// norm(input + residual), and that sum.
inline std::tuple<at::Tensor, at::Tensor> add_then_norm(const char* op, Norm norm, const at::Tensor& input,
                                                        const at::Tensor& residual,
                                                        const std::optional<at::Tensor>& weight,
                                                        const std::optional<at::Tensor>& bias, double eps) {
  const c10::cuda::CUDAGuard guard(input.device());
  at::Tensor output = empty_like_input(input);
  at::Tensor sum = empty_like_input(input);
  if (input.numel() > 0) {
    NormForward call = norm_of(input, weight, bias, eps, output);
    call.residual = rows_of(residual);
    call.sum = sum.mutable_data_ptr();
    check_launch(op, input, launch_norm(norm, dtype_of(input), call, current_stream()));
  }
  return {output, sum};
}

struct Gradients {
  at::Tensor input;
  at::Tensor weight;
  at::Tensor bias;
};

struct Wanted {
  bool input;
  bool weight;
  bool bias;
};

// norm_gradients.cpp: undefined tensors where a gradient is not wanted.
Gradients norm_gradients(const char* op, Norm norm, const at::Tensor& grad, const at::Tensor& input,
                         const std::optional<at::Tensor>& weight, double eps, Wanted wanted);

}  // namespace myops::cuda
