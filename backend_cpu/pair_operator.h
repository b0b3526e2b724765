// From two tensors to the loop over their elements: dtype, broadcasting, strides and threads of the elementwise
// operators. Arguments have been checked by schema/contract/elementwise.h.
#pragma once

#include <ATen/Dispatch.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorIterator.h>

#include "backend_cpu/pair_loop.h"
#include "backend_cpu/threads.h"

namespace myops::cpu {

#define MYOPS_DISPATCH_NUMBERS(dtype, ...) \
  AT_DISPATCH_ALL_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, dtype, "elementwise operator", __VA_ARGS__)

template <class Combine>
void run_iterator(at::TensorIterator& iterator, const Combine& combine) {
  MYOPS_DISPATCH_NUMBERS(iterator.dtype(), [&] {
    iterator.for_each([&](char** data, const int64_t* strides, int64_t inner, int64_t outer) {
      combine_strided<scalar_t>(data, strides, inner, outer, combine);
    });
  });
}

// Equal sizes and both contiguous: by far the most frequent call, and the iterator alone would take longer than the
// rest of it.
inline bool is_plain(const at::Tensor& first, const at::Tensor& second) {
  return first.is_contiguous() && second.is_contiguous() && first.sizes() == second.sizes();
}

// `out` is contiguous and of the same sizes too.
template <class Combine>
void combine_plain(const at::Tensor& out, const at::Tensor& first, const at::Tensor& second, const Combine& combine) {
  MYOPS_DISPATCH_NUMBERS(first.scalar_type(), [&] {
    auto* to = out.mutable_data_ptr<scalar_t>();
    const auto* a = first.const_data_ptr<scalar_t>();
    const auto* b = second.const_data_ptr<scalar_t>();
    const int64_t count = out.numel();
    if (count <= kElementsPerThread) {
      combine_contiguous(to, a, b, count, combine);
      return;
    }
    share_out(count, 1, [&](int64_t begin, int64_t end) {
      combine_contiguous(to + begin, a + begin, b + begin, end - begin, combine);
    });
  });
}

// A new tensor; its strides follow ATen's rules for elementwise results.
template <class Combine>
at::Tensor combine_tensors(const at::Tensor& first, const at::Tensor& second, const Combine& combine) {
  if (is_plain(first, second)) {
    at::Tensor out = at::detail::empty_cpu(first.sizes(), first.scalar_type());
    combine_plain(out, first, second, combine);
    return out;
  }
  auto iterator =
      at::TensorIteratorConfig().add_owned_output(at::Tensor()).add_const_input(first).add_const_input(second).build();
  run_iterator(iterator, combine);
  return iterator.output();
}

// Into `out`, which is resized if its shape differs. Overlap has been checked by the contract.
template <class Combine>
void combine_into(const at::Tensor& out, const at::Tensor& first, const at::Tensor& second, const Combine& combine) {
  if (is_plain(first, second) && is_plain(out, first)) {
    combine_plain(out, first, second, combine);
    return;
  }
  auto iterator = at::TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .add_output(out)
                      .add_const_input(first)
                      .add_const_input(second)
                      .build();
  run_iterator(iterator, combine);
}

}  // namespace myops::cpu
