// From tensors to the loops of gated_loop.h: the contract, the allocation of the result, dtypes and threads. Knows no
// activation by name.
#pragma once

#include "backend_cpu/gated_loop.h"
#include "backend_cpu/norm_operands.h"
#include "backend_cpu/threads.h"
#include "schema/contract/gated.h"

namespace myops::cpu {

// `input` has been checked by contract::check_gated_input.
template <class Activation>
at::Tensor gated_product(const at::Tensor& input) {
  at::Tensor output = at::detail::empty_cpu(contract::gated_shape(input.sizes()), input.scalar_type());
  const int64_t half = input.size(-1) / 2;
  const GatedPieces pieces(count_rows(input), half);
  MYOPS_DISPATCH_FLOATING(input.scalar_type(), "gated activation", [&] {
    const GatedProduct<scalar_t, Activation> kernel{rows_of<scalar_t>(input), output.mutable_data_ptr<scalar_t>(), half,
                                                    pieces};
    share_out(pieces.count(), pieces.elements(), kernel);
  });
  return output;
}

// The arguments have been checked by contract::check_gated_backward.
template <class Activation>
at::Tensor gated_product_backward(const at::Tensor& grad, const at::Tensor& input) {
  at::Tensor grad_input = empty_like_input(input);
  const int64_t half = input.size(-1) / 2;
  const GatedPieces pieces(count_rows(input), half);
  MYOPS_DISPATCH_FLOATING(input.scalar_type(), "gated activation", [&] {
    const GatedProductBackward<scalar_t, Activation> kernel{rows_of<scalar_t>(grad), rows_of<scalar_t>(input),
                                                            grad_input.mutable_data_ptr<scalar_t>(), half, pieces};
    share_out(pieces.count(), pieces.elements(), kernel);
  });
  return grad_input;
}

}  // namespace myops::cpu
