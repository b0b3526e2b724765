// What the operators of acme are called and what they take. Holds no kernel.
#include <torch/library.h>

TORCH_LIBRARY(acme, m) { m.def("scale(Tensor self, float factor) -> Tensor"); }
