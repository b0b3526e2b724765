// The kernels of myops_cuda, each declared with its operator's C++ signature: a definition that differs does not link.
#pragma once

#include "myops/ops.h"

namespace myops::cuda {

ops::myadd::Schema myadd;
ops::myadd_::Schema myadd_;
ops::myadd_out::Schema myadd_out;
ops::mymatmul::Schema mymatmul;
ops::my_multiple_input_op::Schema my_multiple_input_op;

ops::sum::Schema sum;
ops::diagonal::Schema diagonal;
ops::argmax::Schema argmax;

ops::rms_norm::Schema rms_norm;
ops::rms_norm_backward::Schema rms_norm_backward;
ops::add_rms_norm::Schema add_rms_norm;
ops::layer_norm::Schema layer_norm;
ops::layer_norm_backward::Schema layer_norm_backward;
ops::add_layer_norm::Schema add_layer_norm;

ops::silu_and_mul::Schema silu_and_mul;
ops::silu_and_mul_backward::Schema silu_and_mul_backward;
ops::gelu_and_mul::Schema gelu_and_mul;
ops::gelu_and_mul_backward::Schema gelu_and_mul_backward;

}  // namespace myops::cuda
