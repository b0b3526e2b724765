// The registrations of this library: for every operator a kernel, a fallthrough or a refusal, so that no call reaches
// torch's boxed fallback, which warns.
#include <torch/library.h>

#include "autograd/kernels.h"
#include "myops/impl.h"
#include "myops/ops.h"

namespace myops::autograd {
namespace {

TORCH_LIBRARY_IMPL(myops, Autograd, m) {
  impl<ops::myadd>(m, myadd);
  impl<ops::myadd_>(m, myadd_);
  impl<ops::myadd_out>(m, myadd_out);
  impl<ops::mymatmul>(m, mymatmul);
  impl<ops::my_multiple_input_op>(m, my_multiple_input_op);
  impl<ops::sum>(m, sum);
  impl<ops::diagonal>(m, diagonal);
  impl<ops::rms_norm>(m, rms_norm);
  impl<ops::add_rms_norm>(m, add_rms_norm);
  impl<ops::layer_norm>(m, layer_norm);
  impl<ops::add_layer_norm>(m, add_layer_norm);
  impl<ops::silu_and_mul>(m, silu_and_mul);
  impl<ops::gelu_and_mul>(m, gelu_and_mul);

  // Indices have no gradient.
  impl_boxed<ops::argmax>(m, torch::CppFunction::makeFallthrough());

  // Differentiating twice is refused.
  impl<ops::rms_norm_backward>(m, rms_norm_backward);
  impl<ops::layer_norm_backward>(m, layer_norm_backward);
  impl<ops::silu_and_mul_backward>(m, silu_and_mul_backward);
  impl<ops::gelu_and_mul_backward>(m, gelu_and_mul_backward);
}

}  // namespace
}  // namespace myops::autograd
