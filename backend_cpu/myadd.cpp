// myadd, myadd_ and myadd.out on CPU.
#include "backend_cpu/kernels.h"
#include "backend_cpu/myadd_kernel.h"
#include "backend_cpu/pair_operator.h"
#include "schema/contract/elementwise.h"

namespace myops::cpu {

at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) {
  contract::check_pair("myops::myadd", {"self", self}, {"other", other});
  return combine_tensors(self, other, Add());
}

at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) {
  contract::check_pair_inplace("myops::myadd_", {"self", self}, {"other", other});
  combine_into(self, self, other, Add());
  return self;
}

at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  contract::check_pair_out("myops::myadd.out", {"self", self}, {"other", other}, {"out", out});
  combine_into(out, self, other, Add());
  return out;
}

}  // namespace myops::cpu
