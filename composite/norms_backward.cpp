// The gradients of the normalisations in ATen terms. With x̂ the normalised row, g = grad · weight and ⟨·⟩ the mean over
// a row,
//   rms_norm    d input = (g - x̂ ⟨g x̂⟩) / rms          layer_norm  d input = (g - ⟨g⟩ - x̂ ⟨g x̂⟩) / std
//   d weight = Σ grad x̂ and d bias = Σ grad, over all rows.
#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>

#include <numeric>
#include <vector>

#include "composite/kernels.h"
#include "composite/widened.h"
#include "schema/contract/norms.h"

namespace myops::composite {
namespace {

at::Tensor row_mean(const at::Tensor& rows) { return at::mean(rows, /*dim=*/-1, /*keepdim=*/true); }

// The sum over all rows: the leading dimension of 1 gives a single row something to be summed over.
at::Tensor sum_of_rows(const at::Tensor& rows) {
  std::vector<int64_t> leading(rows.dim());
  std::iota(leading.begin(), leading.end(), 0);
  return at::sum(rows.unsqueeze(0), leading);
}

at::Tensor weighted(const at::Tensor& grad, const std::optional<at::Tensor>& weight) {
  const at::Tensor* present = contract::given(weight);
  return present == nullptr ? grad : grad * widened(*present);
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> rms_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                     const std::optional<at::Tensor>& weight, double eps,
                                                     std::array<bool, 2> output_mask) {
  contract::check_norm_backward("myops::rms_norm_backward", grad, input, weight);
  const at::Tensor wide = widened(input);
  const at::Tensor inverse_rms = at::rsqrt(row_mean(wide * wide) + eps);
  const at::Tensor normalised = wide * inverse_rms;
  const at::Tensor slope = widened(grad);
  std::tuple<at::Tensor, at::Tensor> gradients;
  if (output_mask[0]) {
    const at::Tensor g = weighted(slope, weight);
    std::get<0>(gradients) = rounded(inverse_rms * (g - normalised * row_mean(g * normalised)), input.scalar_type());
  }
  if (output_mask[1]) {
    std::get<1>(gradients) = sum_of_rows(slope * normalised).to(input.scalar_type());
  }
  return gradients;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(const at::Tensor& grad, const at::Tensor& input,
                                                                   const std::optional<at::Tensor>& weight, double eps,
                                                                   std::array<bool, 3> output_mask) {
  contract::check_norm_backward("myops::layer_norm_backward", grad, input, weight);
  const at::Tensor wide = widened(input);
  const at::Tensor deviation = wide - row_mean(wide);
  at::Tensor inverse_std = at::rsqrt(row_mean(deviation * deviation) + eps);
  inverse_std = nan_where_infinite(inverse_std, inverse_std);
  const at::Tensor normalised = deviation * inverse_std;
  const at::Tensor slope = widened(grad);
  std::tuple<at::Tensor, at::Tensor, at::Tensor> gradients;
  if (output_mask[0]) {
    const at::Tensor g = weighted(slope, weight);
    std::get<0>(gradients) =
        rounded(inverse_std * (g - row_mean(g) - normalised * row_mean(g * normalised)), input.scalar_type());
  }
  if (output_mask[1]) {
    std::get<1>(gradients) = sum_of_rows(slope * normalised).to(input.scalar_type());
  }
  if (output_mask[2]) {
    std::get<2>(gradients) = sum_of_rows(slope).to(input.scalar_type());
  }
  return gradients;
}

}  // namespace myops::composite
