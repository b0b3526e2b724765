// Typed callers of every operator: `#include <myops/ops.h>`, then `myops::rms_norm(x, w, 1e-6)`. Header-only; the
// operators themselves are in libraries that must be loaded first. One header for each operator is in myops/ops/.
//
// Arguments are tensors of the same device and, where nothing else is said, of the same dtype. What an operator does
// not take it refuses before it computes: a dtype with c10::TypeError (TypeError in Python), an index out of range with
// c10::IndexError (IndexError), anything else with c10::Error (RuntimeError); a call of an operator whose library is
// not loaded throws c10::Error too. The text names operator, argument, what was expected and what was given. "Floating"
// stands for float16, bfloat16, float32 and float64, "numbers" for these and the integer types from 8 to 64 bits.
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
