// From tensors to what the norm kernels take: rows, parameters and results. Arguments have been checked by
// schema/contract/norms.h.
#pragma once

#include <ATen/Dispatch.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>

#include "backend_cpu/row_values.h"
#include "schema/contract/norms.h"

namespace myops::cpu {

#define MYOPS_DISPATCH_FLOATING(dtype, name, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, dtype, name, __VA_ARGS__)

template <class T>
Rows<T> rows_of(const at::Tensor& tensor) {
  const int64_t last = tensor.dim() - 1;
  Rows<T> rows{tensor.const_data_ptr<T>(), {}, tensor.stride(last)};
  for (int64_t d = 0; d < last; ++d) {
    rows.dims.append(tensor.size(d), tensor.stride(d));
  }
  return rows;
}

// No rows where a row is empty: there is nothing to compute.
inline int64_t count_rows(const at::Tensor& input) {
  const int64_t size = input.size(-1);
  return size == 0 ? 0 : input.numel() / size;
}

// For the rows of `input`; without rows of any length nothing is allocated for one.
template <class T>
RowParameter<T> parameter_of(const std::optional<at::Tensor>& parameter, const at::Tensor& input, Wide<T> absent) {
  const int64_t size = count_rows(input) == 0 ? 0 : input.size(-1);
  const at::Tensor* tensor = contract::given(parameter);
  return tensor == nullptr ? RowParameter<T>(nullptr, 1, size, absent)
                           : RowParameter<T>(tensor->const_data_ptr<T>(), tensor->stride(0), size, absent);
}

inline at::Tensor empty_like_input(const at::Tensor& input) {
  return at::detail::empty_cpu(input.sizes(), input.scalar_type());
}

}  // namespace myops::cpu
