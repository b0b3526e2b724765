// What one library registered: the difference between two snapshots of the dispatcher. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loader/rules/manifest.h"
#include "loader/rules/plan.h"

namespace myops::system {

struct Registrations {
  std::vector<std::string> defines;    // canonical schemas with namespace, sorted
  std::vector<std::string> libraries;  // namespaces whose TORCH_LIBRARY block it holds, sorted
  std::map<std::string, std::map<std::string, rules::KernelRecord>> kernels;  // as in the manifest
  std::vector<std::string> fallbacks;
  std::vector<std::string> dangling;  // operators it has kernels for and nothing defines
  std::vector<std::string> schemas;   // every schema of the namespaces it touches, its own or not, sorted

  bool empty() const { return defines.empty() && kernels.empty() && fallbacks.empty(); }
  // The namespaces of the operators it defines or has kernels for, sorted.
  std::vector<std::string> namespaces() const;
};

// The kernels that are new in `after`, or in force in place of another.
std::vector<rules::DispatcherState::OpKey> new_kernels(const rules::DispatcherState& before,
                                                       const rules::DispatcherState& after);

// `after` must have the signatures of the operators of new_kernels().
Registrations difference(const rules::DispatcherState& before, const rules::DispatcherState& after);

// What a registration text says of the kernel's form.
enum class KernelForm {
  kFallthrough,  // no code of its own
  kBoxed,        // takes a stack of IValues
  kUnboxed,      // a C++ function with plain ints
  kSymInt,       // a C++ function with c10::SymInt
};
KernelForm kernel_form(std::string_view registration);

}  // namespace myops::system
