// Asks torch's dispatcher through libmyops_bridge.so, which links libtorch where this library does not.
//
// The bridge of a torch lies at `myops/bridge/torch-<major.minor>/libmyops_bridge.so` beside the loader library. It is
// judged as any file before it is opened (it carries a manifest too), opened once a process, and never closed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/absent.h"
#include "loader/rules/plan.h"
#include "loader/rules/world.h"

namespace myops::system {

class Examiner;

// What a snapshot shall hold: all that is named.
struct SnapshotRequest {
  bool everything = false;                             // every operator, and every namespace's library block
  std::vector<std::string> namespaces;                 // every operator of these
  std::vector<std::string> libraries;                  // the library blocks of these namespaces
  std::vector<std::string> operators;                  // these, with their kernels on all keys
  std::vector<rules::DispatcherState::OpKey> kernels;  // these; the key "" stands for the operator alone
  bool signatures = true;                              // `cpp` and `cpp_symint` too (20 µs an operator)
};

// What the dispatcher of the torch in this process holds now. `torch` must be mapped (TorchFacts::mapped): the bridge
// is opened against it at the first call. May be called from any thread, also while others call operators, but not
// while another registers kernels (loader/bridge/bridge_c.h says why): it takes a Turn. The bridge is trusted as
// plugins are, by `strict` and `user_id` of `trust`. `around` has read what this process holds, this very torch in it,
// so that it is not read again to judge the bridge. Errors: torch-not-found (not mapped), dependency-missing (no
// bridge for this torch), the reasons against the bridge itself, open-failed (the linker refused it, or it could not
// answer).
Result<rules::DispatcherState> snapshot(const rules::TorchFacts& torch, const SnapshotRequest& request,
                                        const rules::Request& trust, Examiner* around = nullptr);

// Puts stand-ins where kernels are absent, for operators that nobody calls yet, and gives those that are there their
// new text. Like a load, it takes a Turn. Errors as of snapshot().
std::optional<Reason> stand_in(const rules::TorchFacts& torch, const std::vector<rules::AbsentKernel>& absent,
                               const rules::Request& trust);
// Takes those on these places away.
std::optional<Reason> stand_aside(const rules::TorchFacts& torch, const std::vector<rules::AbsentKernel>& places,
                                  const rules::Request& trust);

// Path of the bridge for this torch. Error: dependency-missing, with the folders looked in.
Result<std::string> find_bridge(const rules::TorchFacts& torch);

// Real paths of the bridges for all torches.
std::vector<std::string> all_bridges();

}  // namespace myops::system
