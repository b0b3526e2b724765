// Asks torch's dispatcher through libmyops_bridge.so, which links libtorch where this library does not.
//
// The bridge of a torch lies at `myops/bridge/torch-<major.minor>/libmyops_bridge.so` beside the loader library. It is
// judged as any file before it is opened (it carries a manifest too), opened once a process, and never closed.
#pragma once

#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/plan.h"
#include "loader/rules/world.h"

namespace myops::system {

// What a snapshot shall hold.
struct SnapshotRequest {
  enum class Scope { kAll, kNamespaces, kPairs };
  Scope scope = Scope::kAll;
  std::vector<std::string> namespaces;  // kNamespaces: every operator of these, all keys, and their libraries
  // kPairs, kNamespaces: these kernels, and what there is of their operators without kernels; the key "" adds no
  // kernel.
  std::vector<rules::DispatcherState::OpKey> pairs;
  bool signatures = true;  // fill `cpp` and `cpp_symint` (20 µs an operator)
};

// What the dispatcher of the torch in this process holds now. `torch` must be mapped (TorchFacts::mapped): the bridge
// is opened against it at the first call. May be called from any thread, also while others call operators, but not
// while another registers kernels (loader/bridge/bridge_c.h says why): it takes a Turn. The bridge is trusted as
// plugins are, by `strict` and `user_id` of `trust`. Errors: torch-not-found (not mapped), dependency-missing (no
// bridge for this torch), the reasons against the bridge itself, open-failed (the linker refused it, or it could not
// answer).
Result<rules::DispatcherState> snapshot(const rules::TorchFacts& torch, const SnapshotRequest& request,
                                        const rules::Request& trust);

// Path of the bridge for this torch. Error: dependency-missing, with the folders looked in.
Result<std::string> find_bridge(const rules::TorchFacts& torch);

}  // namespace myops::system
