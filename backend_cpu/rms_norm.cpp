// rms_norm on CPU.
#include "backend_cpu/kernels.h"
#include "backend_cpu/norm_operands.h"
#include "backend_cpu/rms_norm_kernel.h"
#include "backend_cpu/threads.h"

namespace myops::cpu {

at::Tensor rms_norm(const at::Tensor& input, const std::optional<at::Tensor>& weight, double eps) {
  constexpr auto op = "myops::rms_norm";
  contract::check_norm_input(op, input);
  contract::check_norm_parameter(op, "weight", weight, input);
  at::Tensor output = empty_like_input(input);
  const int64_t size = input.size(-1);
  MYOPS_DISPATCH_FLOATING(input.scalar_type(), op, [&] {
    const auto weights = parameter_of<scalar_t>(weight, input, 1);
    const RmsNorm<scalar_t> kernel{rows_of<scalar_t>(input), weights.values(), output.mutable_data_ptr<scalar_t>(),
                                   size, eps};
    share_out(count_rows(input), size, kernel);
  });
  return output;
}

}  // namespace myops::cpu
