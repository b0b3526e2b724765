// From verdicts of single files to one plan for the set: which are opened, in which order, and why each other is not.
// Pure: values in, values out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/rules/verdict.h"

namespace myops::rules {

// What torch's dispatcher holds, as far as it was asked (loader/bridge writes it).
struct DispatcherState {
  using OpKey = std::pair<std::string, std::string>;  // {"myops::rms_norm", "CPU"}
  std::map<std::string, std::string> schemas;         // "myops::rms_norm" → canonical schema text
  std::map<std::string, std::string> defined_at;      // "myops::rms_norm" → where ("registered at FILE:LINE")
  std::map<OpKey, std::string> kernels;               // → torch's registration text
  std::map<std::string, std::string> cpp;             // "myops::rms_norm" → C++ signature of its unboxed kernels
  std::map<std::string, std::string> cpp_symint;
  std::map<std::string, std::string> libraries;  // namespaces with their TORCH_LIBRARY block → where it is
  std::vector<std::string> dangling;             // operators with kernels and no schema
  std::vector<std::string> fallbacks;            // keys with a backend fallback
  // The registration text of a kernel; nullptr where there is none.
  const std::string* kernel(std::string_view op, std::string_view key) const;
  // The keys on which it has a kernel for the operator.
  std::set<std::string_view> keys_of(std::string_view op) const;
  std::set<OpKey> explained;  // where a stand-in of ours tells what is missing (absent.h)
};

struct LoadPlan {
  std::vector<std::size_t> order;    // indexes into `files`: what is opened; what others rely on comes first
  std::vector<std::size_t> already;  // those of `order` that are in the process: apply() leaves them alone
  std::vector<Verdict> files;        // every candidate, in search order, with the set's reasons added
  std::vector<Reason> missing;       // what was required and cannot be served: non-empty = the request fails
  std::vector<std::string> notes;    // about the set
  bool tainted = false;              // allow_incomplete (or the like) let something through
};

// `verdicts` come folder by folder, in search order; their order within a folder makes no difference. The best file for
// a purpose is the one with the widest CPU level (within the request's cap, where there is one), then the preferred
// one, then the first in search order. `already_loaded` are real paths of files that are in this process: they are in
// the plan whatever is held against them now, take precedence over all others, and are not opened again. Those that
// were replaced on disk since (`replaced` of the file) promise nothing. Never fails.
LoadPlan make_plan(std::vector<Verdict> verdicts, const DispatcherState& before, const Request& request,
                   const std::vector<std::string>& already_loaded);

// Files of a plan that could not be opened, and why.
using Failures = std::map<std::size_t, Reason>;

// Why `file` of the plan must not be opened without those that failed: schema-missing, inplace-or-view-missing. None:
// it may be.
// A fault that the request skips is a note, and taints.
std::optional<Reason> fault_without(LoadPlan& plan, const DispatcherState& before, const Request& request,
                                    const Failures& failed, std::size_t file);

// What is required and not served, the notes and `tainted`, as they are without those that failed.
void revise(LoadPlan& plan, const DispatcherState& before, const Request& request, const Failures& failed);

// Something that a load did not bring about.
struct Finding {
  std::string file;
  Reason reason;
};
// What was looked up and found as promised. Not complete where a promise could not be held against the dispatcher: of a
// file that was replaced since it was opened, of a kernel that another was put over after an earlier load.
struct Proof {
  std::size_t operators = 0, kernels = 0;
  bool complete = true;
};
struct Verified {
  std::vector<Finding> findings;  // empty when all is well
  Proof proof;
};
// After the load: operators promised = operators defined, kernels promised = kernels registered (text and all), no
// dangling impls. Files that failed to open have promised nothing.
Verified verify(const LoadPlan& plan, const DispatcherState& before, const DispatcherState& after,
                const std::set<std::size_t>& failed = {});

// The (operator, key) pairs that verify() needs to see, for a targeted look-up; the key "" stands for the definition.
std::vector<DispatcherState::OpKey> promised(const LoadPlan& plan, const std::set<std::size_t>& failed = {});

// Has the library kernels on the key, or on an alias that covers it? "AutogradCPU" is served by kernels on "Autograd".
bool serves(const Manifest& manifest, const std::string& key);

}  // namespace myops::rules
