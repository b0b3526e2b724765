#include <algorithm>

#include "loader/rules/plan_rules.h"

namespace myops::rules {
namespace {

constexpr const char* kConflictHint = "keep one of the two: name the other in `disable`";

void check_kernels(const PlanDraft& draft, const Manifest& manifest, std::vector<Reason>& faults) {
  for (const auto& [key, operators] : manifest.kernels) {
    for (const auto& [op, record] : operators) {
      std::string found;
      if (const auto holder = draft.kernel_holder(op, key)) {
        found = draft.files()[*holder].file.path;
      } else if (const std::string* before = draft.before().kernel(op, key)) {
        found = before->empty() ? "in the dispatcher" : *before;
      }
      if (found.empty()) continue;
      faults.push_back({Code::kKernelConflict, op + " on " + key, "", found, kConflictHint});
    }
  }
}

// Torch lets AutogradPrivateUse1 have its fallback replaced (pytorch issue 163979); any other second one throws.
void check_fallbacks(const PlanDraft& draft, const Manifest& manifest, std::vector<Reason>& faults) {
  const auto& before = draft.before().fallbacks;
  for (const std::string& key : manifest.fallbacks) {
    if (key == "AutogradPrivateUse1") continue;
    std::string found;
    if (const auto holder = draft.fallback_holder(key)) {
      found = draft.files()[*holder].file.path;
    } else if (std::find(before.begin(), before.end(), key) != before.end()) {
      found = "in the dispatcher";
    }
    if (found.empty()) continue;
    faults.push_back({Code::kKernelConflict, "the fallback on " + key, "", found, kConflictHint});
  }
}

}  // namespace

std::vector<Reason> kernel_faults(const PlanDraft& draft, std::size_t file) {
  const Verdict& verdict = draft.files()[file];
  if (!verdict.manifest) return {};
  if (const auto taken = draft.variant_of(*verdict.manifest)) {
    const Verdict& better = draft.files()[*taken];
    const std::string level = better.cpu_level.empty() ? "" : " (" + better.cpu_level + ")";
    return {Reason{Code::kSuperseded, verdict.name, "", better.file.path + level, ""}};
  }
  std::vector<Reason> faults;
  check_kernels(draft, *verdict.manifest, faults);
  check_fallbacks(draft, *verdict.manifest, faults);
  for (const auto rule : {signature_faults, explained_faults}) {
    const auto more = rule(draft, *verdict.manifest);
    faults.insert(faults.end(), more.begin(), more.end());
  }
  return faults;
}

}  // namespace myops::rules
