// From verdicts of single files to one plan for the set: which are opened, in which order, and why each other is not. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
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
  std::vector<std::string> dangling;                  // operators with kernels and no schema
  std::vector<std::string> fallbacks;                 // keys with a backend fallback
};

struct LoadPlan {
  std::vector<std::size_t> order;     // indexes into `files`: what is opened, schema first
  std::vector<Verdict> files;         // every candidate, in search order, with the set's reasons added
  std::vector<Reason> missing;        // what was required and cannot be served: non-empty = the request fails
  std::vector<std::string> notes;     // about the set
  bool tainted = false;               // allow_incomplete (or the like) let something through
};

// Total order, independent of readdir: search position, then variant level (widest first), then name, then path.
// `already_loaded` are real paths that an earlier load opened: they stay in the plan's view and are not opened again.
LoadPlan make_plan(std::vector<Verdict> verdicts, const DispatcherState& before, const Request& request,
                   const std::vector<std::string>& already_loaded);

// After the load: kernels promised = kernels registered (text and all), no dangling impls. Reasons, empty when all is well.
struct Finding {
  std::string file;
  Reason reason;
};
std::vector<Finding> verify(const LoadPlan& plan, const DispatcherState& before, const DispatcherState& after);

// The (operator, key) pairs that verify() needs to see, for a targeted look-up.
std::vector<DispatcherState::OpKey> promised(const LoadPlan& plan);

// require=["Autograd"] is served by a library with kernels on Autograd; the aliases' members count ("AutogradCPU" by Autograd).
bool serves(const Manifest& manifest, const std::string& key);

}  // namespace myops::rules
