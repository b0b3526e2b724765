// Defines every operator of the namespace myops, and no kernel. Texts come from the operators' headers, so the callers
// and the definitions cannot differ. A second definition of the namespace in one process is fatal in torch: the loader
// prevents it.
#include <torch/library.h>

#include "myops/ops.h"

namespace myops {
namespace {

// pt2_compliant_tag: each operator keeps torch.compile's rules (exact alias marks, a Meta kernel, no hidden state),
// which torch.library.opcheck proves in the tests.
template <class... Op>
void define(torch::Library& m) {
  (m.def(Op::schema_str, {at::Tag::pt2_compliant_tag}), ...);
}

TORCH_LIBRARY(myops, m) {
  define<ops::myadd, ops::myadd_, ops::myadd_out>(m);
  define<ops::mymatmul, ops::my_multiple_input_op>(m);
  define<ops::sum, ops::diagonal, ops::argmax>(m);
  define<ops::rms_norm, ops::rms_norm_backward, ops::add_rms_norm>(m);
  define<ops::layer_norm, ops::layer_norm_backward, ops::add_layer_norm>(m);
  define<ops::silu_and_mul, ops::silu_and_mul_backward, ops::gelu_and_mul, ops::gelu_and_mul_backward>(m);
}

}  // namespace
}  // namespace myops
