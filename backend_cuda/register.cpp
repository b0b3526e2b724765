// The registrations of myops_cuda.
#include "backend_cuda/kernels.h"
#include "myops/impl.h"

namespace myops::cuda {

TORCH_LIBRARY_IMPL(myops, CUDA, m) {
  impl<ops::myadd>(m, myadd);
  impl<ops::myadd_>(m, myadd_);
  impl<ops::myadd_out>(m, myadd_out);
  impl<ops::mymatmul>(m, mymatmul);
  impl<ops::my_multiple_input_op>(m, my_multiple_input_op);
  impl<ops::sum>(m, sum);
  impl<ops::diagonal>(m, diagonal);
  impl<ops::argmax>(m, argmax);
  impl<ops::rms_norm>(m, rms_norm);
  impl<ops::rms_norm_backward>(m, rms_norm_backward);
  impl<ops::add_rms_norm>(m, add_rms_norm);
  impl<ops::layer_norm>(m, layer_norm);
  impl<ops::layer_norm_backward>(m, layer_norm_backward);
  impl<ops::add_layer_norm>(m, add_layer_norm);
  impl<ops::silu_and_mul>(m, silu_and_mul);
  impl<ops::silu_and_mul_backward>(m, silu_and_mul_backward);
  impl<ops::gelu_and_mul>(m, gelu_and_mul);
  impl<ops::gelu_and_mul_backward>(m, gelu_and_mul_backward);
}

}  // namespace myops::cuda
