// The kernel that stands on Autograd where no autograd library is: it lets the operator compute, and makes gradients an
// error that would be lost in it.
#pragma once

#include <ATen/core/boxing/KernelFunction.h>

#include <memory>

#include "loader/bridge/explanation.h"

namespace myops::bridge {

// A boxed kernel. What the ATen calls inside a kernel record stays, as with torch's own fallback; every result, and
// every tensor that was written to, for which nothing was recorded gets a node that throws in backward. So a composite
// kernel keeps its gradients, and a loop of its own has none. Tangents that a result, or a tensor that was written
// to, does not carry on throw once it is computed and written.
c10::KernelFunction absent_gradient_kernel(std::shared_ptr<const Explanation> why);

}  // namespace myops::bridge
