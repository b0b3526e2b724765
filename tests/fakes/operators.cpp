// A small operator library of the namespace `myops_fakes`, compiled many ways. FAKE_SCHEMA defines the operators;
// otherwise FAKE_KERNEL is registered for FAKE_OPERATOR on FAKE_KEY. Some of these kill the process that opens them, or
// give wrong answers: that is what they are for.
#include <ATen/ops/full_like.h>
#include <torch/library.h>

#ifndef FAKE_VALUE
#define FAKE_VALUE 1.0
#endif

namespace myops_fakes {

// FAKE_VALUE tells which library's kernel ran. The same name in each, and by itself one for all of a process.
inline double value() {
  static double value = FAKE_VALUE;
  return value;
}

}  // namespace myops_fakes

namespace {

// The right signature.
[[maybe_unused]] at::Tensor fill(const at::Tensor& self, double) { return at::full_like(self, myops_fakes::value()); }

// The schema says float. Torch compares when the kernel is registered, in a static constructor: terminate.
[[maybe_unused]] at::Tensor fill_int(const at::Tensor& self, int64_t) { return self; }

// Fits the schema, but not the C++ signature of the operator's other kernels: terminate as well.
[[maybe_unused]] at::Tensor fill_by_value(at::Tensor self, double) { return self; }

[[maybe_unused]] at::Tensor fill_by_reference(at::Tensor& self, double) { return self; }

// Code for a CPU that this machine is not.
[[maybe_unused]] at::Tensor fill_illegal(const at::Tensor& self, double) {
  __asm__ volatile("ud2");
  return self;
}

// Writes without telling autograd, as every CPU kernel does: that is the ADInplaceOrView library's part.
[[maybe_unused]] at::Tensor& bump(at::Tensor& self) {
  TORCH_CHECK(self.is_contiguous() && self.scalar_type() == at::kFloat, "bump_: a contiguous float32 tensor, please");
  float* data = self.mutable_data_ptr<float>();
  for (int64_t i = 0; i < self.numel(); ++i) data[i] += 1;
  return self;
}

}  // namespace

#if defined(FAKE_SCHEMA)
TORCH_LIBRARY(myops_fakes, m) {
  m.def("scale(Tensor self, float factor) -> Tensor");
  m.def("bump_(Tensor(a!) self) -> Tensor(a!)");
}
#elif defined(FAKE_OTHER_SCHEMA)
TORCH_LIBRARY(myops_fakes, m) { m.def("other(Tensor self) -> Tensor"); }
#elif defined(FAKE_FRAGMENT)
TORCH_LIBRARY_FRAGMENT(myops_fakes, m) { m.def("fragment(Tensor self) -> Tensor"); }
#elif defined(FAKE_TWO_NAMESPACES)
TORCH_LIBRARY_FRAGMENT(myops_fakes, m) { m.def("of_two(Tensor self) -> Tensor"); }
TORCH_LIBRARY(myops_fakes_two, m) { m.def("scale(Tensor self, float factor) -> Tensor", fill); }
#elif defined(FAKE_NAMESPACE)
TORCH_LIBRARY(FAKE_NAMESPACE, m) { m.def("scale(Tensor self, float factor) -> Tensor", fill); }
#else
TORCH_LIBRARY_IMPL(myops_fakes, FAKE_KEY, m) { m.impl(FAKE_OPERATOR, FAKE_KERNEL); }
#endif
