// my_multiple_input_op on CPU.
#include "backend_cpu/kernels.h"
#include "backend_cpu/my_multiple_input_op_kernel.h"
#include "backend_cpu/pair_operator.h"
#include "schema/contract/elementwise.h"

namespace myops::cpu {

at::Tensor my_multiple_input_op(const at::Tensor& t0, const at::Tensor& t1) {
  contract::check_pair("myops::my_multiple_input_op", {"t0", t0}, {"t1", t1});
  return combine_tensors(t0, t1, MultiplyThenAdd());
}

}  // namespace myops::cpu
