// Kernels and registrations of this library. Functionalization replaces writes by new values; torch does so by itself
// for operators of its own only, and refuses others whose schema returns an alias. copy_ and resize_ accept more than
// the operators do, so the contract is checked here.
#include <ATen/ops/diagonal.h>
#include <torch/library.h>

#include <vector>

#include "myops/impl.h"
#include "myops/ops.h"
#include "schema/contract/diagonal.h"
#include "schema/contract/elementwise.h"

namespace myops::functionalize {
namespace {

// copy_ has torch's own functionalization, which also updates what `self` is a view of.
at::Tensor& myadd_(at::Tensor& self, const at::Tensor& other) {
  contract::check_pair_inplace("myops::myadd_", {"self", self}, {"other", other});
  return self.copy_(ops::myadd::call(self, other));
}

at::Tensor& myadd_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
  contract::check_pair_out("myops::myadd.out", {"self", self}, {"other", other}, {"out", out});
  const auto result = ops::myadd::call(self, other);
  if (result.sym_sizes() != out.sym_sizes()) {
    // Functionalization's resize_ takes plain numbers only: a graph that resizes is made for these sizes.
    std::vector<int64_t> sizes;
    for (const auto& size : result.sym_sizes()) sizes.push_back(size.guard_int(__FILE__, __LINE__));
    out.resize_(sizes);
  }
  return out.copy_(result);
}

// ATen's view of the same elements, which functionalization knows how to write through.
at::Tensor diagonal(const at::Tensor& self) {
  contract::check_diagonal(self);
  return at::diagonal(self, /*offset=*/0, /*dim1=*/0, /*dim2=*/1);
}

TORCH_LIBRARY_IMPL(myops, Functionalize, m) {
  impl<ops::myadd_>(m, myadd_);
  impl<ops::myadd_out>(m, myadd_out);
  impl<ops::diagonal>(m, diagonal);
}

}  // namespace
}  // namespace myops::functionalize
