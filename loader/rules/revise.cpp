// A plan without those of its files that could not be opened: asks the rules of a set again about what is left.
#include "loader/rules/plan_rules.h"

namespace myops::rules {
namespace {

// The set that is left of a plan.
PlanDraft draft_without(const LoadPlan& plan, const DispatcherState& before, const Failures& failed) {
  PlanDraft draft(plan.files, before);
  for (const auto& [file, reason] : failed) draft.refuse(file, {reason});
  for (const std::size_t file : plan.order) {
    if (!failed.contains(file)) draft.take_definitions(file);
  }
  for (const std::size_t file : plan.order) {
    if (!failed.contains(file)) draft.take_kernels(file);
  }
  return draft;
}

// An operator of the file that nothing defines since a library failed.
std::optional<Reason> lost_definition(const PlanDraft& draft, const Failures& failed, std::size_t file) {
  const auto& manifest = draft.files()[file].manifest;
  if (!manifest) return std::nullopt;
  for (const std::string& op : undefined_operators(draft, *manifest)) {
    for (const std::size_t definer : draft.definers_of(op)) {
      if (!failed.contains(definer)) continue;
      return Reason{Code::kSchemaMissing, op, "a schema library",
                    draft.files()[definer].file.path + " could not be opened", ""};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Reason> fault_without(LoadPlan& plan, const DispatcherState& before, const Request& request,
                                    const Failures& failed, std::size_t file) {
  if (failed.empty()) return std::nullopt;
  const PlanDraft draft = draft_without(plan, before, failed);
  std::vector<Reason> faults;
  if (const auto lost = lost_definition(draft, failed, file)) faults.push_back(*lost);
  if (faults.empty() && !request.allow_incomplete) faults = completeness_faults(draft, file);
  if (const auto skipped = skip(faults, request); !skipped.empty()) {
    plan.files[file].unchecked = true;
    plan.files[file].notes.insert(plan.files[file].notes.end(), skipped.begin(), skipped.end());
  }
  return faults.empty() ? std::nullopt : std::optional(faults.front());
}

void revise(LoadPlan& plan, const DispatcherState& before, const Request& request, const Failures& failed) {
  tell_of_set(draft_without(plan, before, failed), request, plan);
}

}  // namespace myops::rules
