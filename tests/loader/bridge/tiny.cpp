// A complete operator library in a few lines, compiled several ways: what `myops stamp` measures in stamp_test.cpp.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdlib>

namespace {

[[maybe_unused]] at::Tensor keep(const at::Tensor& self, double) { return self; }
[[maybe_unused]] at::Tensor keep_with_keys(c10::DispatchKeySet, const at::Tensor& self, double) { return self; }
[[maybe_unused]] at::Tensor keep_sizes(const at::Tensor& self, c10::SymIntArrayRef) { return self; }
[[maybe_unused]] void keep_boxed(const c10::OperatorHandle&, torch::jit::Stack*) {}

}  // namespace

#if defined(TINY_SCHEMA)
TORCH_LIBRARY(tiny, m) {
  m.def("keep(Tensor self, float factor=1e-06) -> Tensor");
  m.def("keep.sizes(Tensor self, SymInt[] sizes) -> Tensor");
}
#elif defined(TINY_SCHEMA_AGAIN)
TORCH_LIBRARY(tiny, m) { m.def("other(Tensor self) -> Tensor"); }
#elif defined(TINY_MISSPELT)
TORCH_LIBRARY_IMPL(tiny, CPU, m) {
  m.impl("keeep", keep);
  m.impl("keep", keep);
}
#elif defined(TINY_OTHER_NAMESPACE)
TORCH_LIBRARY_FRAGMENT(tiny, m) { m.def("fragment(Tensor self) -> Tensor"); }
TORCH_LIBRARY(tiny_two, m) { m.def("keep", keep); }
#elif defined(TINY_KERNELS)
TORCH_LIBRARY_IMPL(tiny, CPU, m) {
  m.impl("keep", keep);
  m.impl("keep.sizes", keep_sizes);
}
TORCH_LIBRARY_IMPL(tiny, Autograd, m) { m.impl("keep", keep_with_keys); }
TORCH_LIBRARY_IMPL(tiny, AutocastCPU, m) { m.impl("keep", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(tiny, Meta, m) { m.impl("keep", torch::CppFunction::makeFromBoxedFunction<&keep_boxed>()); }
TORCH_LIBRARY_IMPL(_, PrivateUse2, m) { m.fallback(torch::CppFunction::makeFallthrough()); }
#elif defined(TINY_ABORTS)
[[maybe_unused]] const bool aborted = (std::abort(), true);
#endif
