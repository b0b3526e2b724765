// myadd, myadd_ and myadd.out on CPU.
#include "backend_cpu/kernels.h"
#include "backend_cpu/myadd_kernel.h"
#include "backend_cpu/pair_operator.h"
#include "backend_cpu/written_memory.h"
#include "schema/contract/elementwise.h"

namespace myops::cpu {

at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) {
  contract::check_pair("myops::myadd", {"self", self}, {"other", other});
  return combine_tensors(self, other, Add());
}

at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) {
  constexpr auto op = "myops::myadd_";
  contract::check_pair_inplace(op, {"self", self}, {"other", other});
  check_no_self_overlap(op, {"self", self});
  check_no_partial_overlap(op, {"self", self}, {"other", other});
  combine_into(self, self, other, Add());
  return self;
}

at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  constexpr auto op = "myops::myadd.out";
  contract::check_pair(op, {"self", self}, {"other", other});
  contract::check_alike(op, {"out", out}, {"self", self});
  check_no_self_overlap(op, {"out", out});
  check_no_partial_overlap(op, {"out", out}, {"self", self});
  check_no_partial_overlap(op, {"out", out}, {"other", other});
  combine_into(out, self, other, Add());
  return out;
}

}  // namespace myops::cpu
