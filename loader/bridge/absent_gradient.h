// The kernel that stands on Autograd where no autograd library is: it lets the operator compute, and makes every
// gradient that would pass through it an error.
#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <c10/core/DispatchKeySet.h>

#include <memory>

#include "loader/bridge/explanation.h"

namespace myops::bridge {

// A boxed kernel. `devices`: backend keys whose kernels record no gradients by themselves. On any other, composite
// kernels do the work, and the operators that they are made of record theirs.
c10::KernelFunction absent_gradient_kernel(std::shared_ptr<const Explanation> why, c10::DispatchKeySet devices);

}  // namespace myops::bridge
