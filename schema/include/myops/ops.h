// Typed callers of every operator: `#include <myops/ops.h>`, then `myops::rms_norm(x, w, 1e-6)`. Header-only; the
// operators themselves are in libraries that must be loaded first. One header for each operator is in myops/ops/.
#pragma once

#include "myops/ops/add_layer_norm.h"
#include "myops/ops/add_rms_norm.h"
#include "myops/ops/argmax.h"
#include "myops/ops/diagonal.h"
#include "myops/ops/gelu_and_mul.h"
#include "myops/ops/layer_norm.h"
#include "myops/ops/my_multiple_input_op.h"
#include "myops/ops/myadd.h"
#include "myops/ops/mymatmul.h"
#include "myops/ops/rms_norm.h"
#include "myops/ops/silu_and_mul.h"
#include "myops/ops/sum.h"
