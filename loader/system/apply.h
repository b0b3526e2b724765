// Carries out a plan: opens its files in order.
#pragma once

#include <optional>
#include <vector>

#include "loader/rules/report.h"
#include "loader/system/open.h"

namespace myops::system {

// Opens the torch in `torch.lib_dir`, by path: libc10, then libtorch_cpu. For a process that has none: a second copy
// aborts. The reason where it failed.
std::optional<Reason> open_torch(const rules::TorchFacts& torch, const Opener& open);

// Opens each file of plan.order that is not in the process already, each looked at once more before and after;
// libc10_cuda of this torch before a library for CUDA. What failed has its reason, and nothing is opened that must not
// be without what failed before it (rules::fault_without()). One outcome a file, in the plan's order; what is required,
// the notes and `tainted` of the plan are revised where something failed.
std::vector<rules::OpenOutcome> apply(rules::LoadPlan& plan, const rules::DispatcherState& before,
                                      const rules::Request& request, const rules::TorchFacts& torch,
                                      const Opener& open);

}  // namespace myops::system
