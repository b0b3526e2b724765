// From two tensors to the kernel over their elements: broadcasting and strides of the elementwise operators. Arguments
// have been checked by schema/contract/elementwise.h.
#pragma once

#include <ATen/TensorIterator.h>

#include "backend_cuda/device_tensors.h"
#include "backend_cuda/pairs.h"

namespace myops::cuda {

// Sizes and strides of an iterator's three tensors, outermost first: the iterator has the innermost first.
inline TripleDims triple_dims(const at::TensorIterator& iterator) {
  TripleDims dims;
  dims.count = iterator.ndim();
  dims.elements = iterator.numel();
  for (int d = 0; d < dims.count; ++d) {
    const int from = dims.count - 1 - d;
    dims.size[d] = iterator.shape()[from];
    for (int array = 0; array < 3; ++array) {
      dims.stride[array][d] = iterator.strides(array)[from];
    }
  }
  return dims;
}

inline void run_iterator(const char* op, at::TensorIterator& iterator, PairOperation operation) {
  if (iterator.numel() == 0) {
    return;
  }
  TORCH_CHECK(iterator.ndim() <= kMaxDims, op, ": at most ", kMaxDims, " dimensions, got ", iterator.ndim());
  const PairOperands operands{iterator.data_ptr(0), iterator.data_ptr(1), iterator.data_ptr(2)};
  check_launch(
      op, iterator.tensor(1),
      launch_pairs(operation, dtype_of(iterator.tensor(1)), operands, triple_dims(iterator), current_stream()));
}

// Equal sizes and both contiguous: by far the most frequent call, and the iterator alone would take longer than the
// rest of it.
inline bool is_plain(const at::Tensor& first, const at::Tensor& second) {
  return first.is_contiguous() && second.is_contiguous() && first.sizes() == second.sizes();
}

// `out` is contiguous and of the same sizes too.
inline void combine_plain(const char* op, const at::Tensor& out, const at::Tensor& first, const at::Tensor& second,
                          PairOperation operation) {
  if (out.numel() == 0) {
    return;
  }
  const PairOperands operands{out.mutable_data_ptr(), first.const_data_ptr(), second.const_data_ptr()};
  check_launch(op, first, launch_pairs(operation, dtype_of(first), operands, out.numel(), current_stream()));
}

// A new tensor; its strides follow ATen's rules for elementwise results.
inline at::Tensor combine_tensors(const char* op, const at::Tensor& first, const at::Tensor& second,
                                  PairOperation operation) {
  const c10::cuda::CUDAGuard guard(first.device());
  if (is_plain(first, second)) {
    at::Tensor out = empty_on_device(first.sizes(), first.scalar_type());
    combine_plain(op, out, first, second, operation);
    return out;
  }
  auto iterator =
      at::TensorIteratorConfig().add_owned_output(at::Tensor()).add_const_input(first).add_const_input(second).build();
  run_iterator(op, iterator, operation);
  return iterator.output();
}

// Into `out`, which is resized if its shape differs. Overlap has been checked by the contract.
inline void combine_into(const char* op, const at::Tensor& out, const at::Tensor& first, const at::Tensor& second,
                         PairOperation operation) {
  const c10::cuda::CUDAGuard guard(first.device());
  if (is_plain(first, second) && is_plain(out, first)) {
    combine_plain(op, out, first, second, operation);
    return;
  }
  auto iterator = at::TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .add_output(out)
                      .add_const_input(first)
                      .add_const_input(second)
                      .build();
  run_iterator(op, iterator, operation);
}

}  // namespace myops::cuda
