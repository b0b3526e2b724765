// myadd, myadd_ and myadd.out on CUDA.
#include "backend_cuda/kernels.h"
#include "backend_cuda/pair_tensors.h"
#include "schema/contract/elementwise.h"

namespace myops::cuda {

at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) {
  constexpr auto op = "myops::myadd";
  contract::check_pair(op, {"self", self}, {"other", other});
  return combine_tensors(op, self, other, PairOperation::kAdd);
}

at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) {
  constexpr auto op = "myops::myadd_";
  contract::check_pair_inplace(op, {"self", self}, {"other", other});
  combine_into(op, self, self, other, PairOperation::kAdd);
  return self;
}

at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  constexpr auto op = "myops::myadd.out";
  contract::check_pair_out(op, {"self", self}, {"other", other}, {"out", out});
  combine_into(op, out, self, other, PairOperation::kAdd);
  return out;
}

}  // namespace myops::cuda
