// layer_norm_backward on CPU.
#include "backend_cpu/kernels.h"
#include "backend_cpu/layer_norm_backward_kernel.h"
#include "backend_cpu/norm_operands.h"
#include "backend_cpu/row_blocks.h"

namespace myops::cpu {

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
  constexpr auto op = "myops::layer_norm_backward";
  contract::check_norm_backward(op, grad, input, weight);
  at::Tensor grad_input = output_mask[0] ? empty_like_input(input) : at::Tensor();
  at::Tensor grad_weight;
  at::Tensor grad_bias;
  const int64_t size = input.size(-1);
  MYOPS_DISPATCH_FLOATING(input.scalar_type(), op, [&] {
    const auto weights = parameter_of<scalar_t>(weight, input, 1);
    const LayerNormBackward<scalar_t> kernel{rows_of<scalar_t>(grad),
                                             rows_of<scalar_t>(input),
                                             weights.values(),
                                             output_mask[0] ? grad_input.mutable_data_ptr<scalar_t>() : nullptr,
                                             size,
                                             eps};
    const RowBlocks blocks(count_rows(input), size);
    BlockSums<Wide<scalar_t>> weight_sums(output_mask[1], blocks, size);
    BlockSums<Wide<scalar_t>> bias_sums(output_mask[2], blocks, size);
    blocks.for_each([&](int64_t block, int64_t begin, int64_t end) {
      kernel(begin, end, weight_sums.of_block(block), bias_sums.of_block(block));
    });
    grad_weight = weight_sums.template to_tensor<scalar_t>(input.scalar_type());
    grad_bias = bias_sums.template to_tensor<scalar_t>(input.scalar_type());
  });
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace myops::cpu
