// my_multiple_input_op on CUDA.
#include "backend_cuda/kernels.h"
#include "backend_cuda/pair_tensors.h"
#include "schema/contract/elementwise.h"

namespace myops::cuda {

at::Tensor my_multiple_input_op(const at::Tensor& t0, const at::Tensor& t1) {
  constexpr auto op = "myops::my_multiple_input_op";
  contract::check_pair(op, {"t0", t0}, {"t1", t1});
  return combine_tensors(op, t0, t1, PairOperation::kMultiplyThenAdd);
}

}  // namespace myops::cuda
