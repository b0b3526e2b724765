// myadd, myadd_, myadd.out and my_multiple_input_op in ATen terms.
#include "schema/contract/elementwise.h"

#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>

#include "composite/kernels.h"

namespace myops::composite {

at::Tensor myadd(const at::Tensor& self, const at::Tensor& other) {
  contract::check_pair("myops::myadd", {"self", self}, {"other", other});
  return at::add(self, other);
}

at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) {
  contract::check_pair_inplace("myops::myadd_", {"self", self}, {"other", other});
  return self.add_(other);
}

at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  contract::check_pair_out("myops::myadd.out", {"self", self}, {"other", other}, {"out", out});
  return at::add_out(out, self, other);
}

// addcmul rounds once, and its strides are those of one pass over both inputs; mul, then add, would do neither.
at::Tensor my_multiple_input_op(const at::Tensor& t0, const at::Tensor& t1) {
  contract::check_pair("myops::my_multiple_input_op", {"t0", t0}, {"t1", t1});
  return at::addcmul(t0, t0, t1);
}

}  // namespace myops::composite
