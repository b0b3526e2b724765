// What torch's dispatcher holds for one operator.
//
// Reads only, and only what the dispatcher offers in public. See bridge_c.h for the thread rule.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

#include "loader/bridge/dump_state.h"

namespace myops::bridge {

// "ns::name" or "ns::name.overload".
std::string full_name(const c10::OperatorName& name);
c10::OperatorName operator_name(const std::string& full_name);

// The kernels in force, by dispatch key.
KernelTexts kernels(const c10::OperatorHandle& handle);

// The C++ type that the operator's kernels share, as torch prints it; "" where no kernel has told one. torch keeps two:
// one of the functions with plain ints, one of those with c10::SymInt.
std::string cpp_signature(const c10::OperatorHandle& handle);
std::string cpp_symint_signature(const c10::OperatorHandle& handle);

}  // namespace myops::bridge
