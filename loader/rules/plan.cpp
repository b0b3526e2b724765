// Makes the plan: takes files one after the other as long as no rule of the set speaks against them, and starts again
// without a file that others had built on and that turned out to be refused, until nothing changes.
#include "loader/rules/plan.h"

#include <algorithm>

#include "loader/rules/choice.h"
#include "loader/rules/duplicates.h"
#include "loader/rules/plan_rules.h"
#include "loader/rules/rank.h"

namespace myops::rules {
namespace {

using Files = std::set<std::size_t>;

struct Setting {
  std::vector<std::size_t> order;  // in which files are taken
  Files already;                   // never refused: nothing is ever unloaded
  const Request& request;
};

// True where no rule speaks against the file; otherwise it is refused.
bool passes(PlanDraft& draft, const Setting& setting, std::size_t file,
            std::vector<Reason> (*rule)(const PlanDraft&, std::size_t)) {
  if (draft.is_refused(file)) return false;
  if (setting.already.contains(file)) return true;
  auto faults = rule(draft, file);
  if (const auto skipped = skip(faults, setting.request); !skipped.empty()) draft.skip(file, skipped);
  if (faults.empty()) return true;
  draft.refuse(file, std::move(faults));
  return false;
}

bool is_superseded(const std::vector<Reason>& reasons) {
  return std::all_of(reasons.begin(), reasons.end(),
                     [](const Reason& reason) { return reason.code == Code::kSuperseded; });
}

// The same library with kernels for the same operators: a copy, or a variant.
bool is_alike(const Verdict& one, const Verdict& other) {
  if (!one.manifest || !other.manifest || one.name != other.name) return false;
  const auto same_names = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto same_kernels = [&](const auto& a, const auto& b) {
    return a.first == b.first && std::ranges::equal(a.second, b.second, same_names);
  };
  return one.manifest->op_namespace == other.manifest->op_namespace &&
         std::ranges::equal(one.manifest->kernels, other.manifest->kernels, same_kernels);
}

// What is like a file that lacks others' kernels would be taken in its place, only to be refused in the next pass.
void exclude_alike(const PlanDraft& draft, const Setting& setting, std::size_t file, Refusals& excluded) {
  for (const std::size_t other : setting.order) {
    const auto refusal = draft.refusals().find(other);
    if (refusal == draft.refusals().end() || excluded.contains(other) || !is_superseded(refusal->second)) continue;
    if (!is_alike(draft.files()[file], draft.files()[other])) continue;
    if (auto faults = completeness_faults(draft, other); !faults.empty()) excluded[other] = std::move(faults);
  }
}

// One pass over the files. Adds to `excluded` whom it refused after others had built on them.
void fill_draft(PlanDraft& draft, const Setting& setting, Refusals& excluded) {
  const std::size_t excluded_before = excluded.size();
  const auto exclude = [&](std::size_t file) { excluded[file] = draft.refusals().at(file); };
  for (const std::size_t file : setting.order) {
    if (passes(draft, setting, file, definition_faults)) draft.take_definitions(file);
  }
  for (const std::size_t file : setting.order) passes(draft, setting, file, schema_faults);
  for (const std::size_t file : setting.order) {
    if (passes(draft, setting, file, kernel_faults)) {
      draft.take_kernels(file);
    } else if (draft.defines(file)) {
      exclude(file);
    }
  }
  if (setting.request.allow_incomplete || excluded.size() != excluded_before) return;
  for (const std::size_t file : draft.taken()) {
    if (passes(draft, setting, file, completeness_faults)) continue;
    exclude(file);
    exclude_alike(draft, setting, file, excluded);
  }
}

PlanDraft final_draft(const std::vector<Verdict>& files, const DispatcherState& before, const Setting& setting) {
  Refusals excluded;
  for (;;) {
    PlanDraft draft(files, before);
    for (const auto& [file, reasons] : excluded) draft.refuse(file, reasons);
    const std::size_t excluded_before = excluded.size();
    fill_draft(draft, setting, excluded);
    if (excluded.size() == excluded_before) return draft;
  }
}

// A file in the process stays, whatever is held against it now; what is, becomes a note.
Files keep_loaded(std::vector<Verdict>& files, const std::set<std::string>& already_loaded) {
  Files kept;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Verdict& verdict = files[i];
    if (!already_loaded.contains(verdict.file.real_path) || verdict.kind == VerdictKind::kSuperseded) continue;
    verdict.notes.push_back(verdict.file.replaced
                                ? "replaced on disk since it was opened: restart the process to use the new one"
                                : "in this process already");
    if (!verdict.manifest && verdict.kind != VerdictKind::kUsable) continue;
    for (const Reason& reason : verdict.reasons) verdict.notes.push_back("would not be loaded now: " + to_text(reason));
    verdict.reasons.clear();
    verdict.kind = VerdictKind::kUsable;
    kept.insert(i);
  }
  return kept;
}

bool is_tainted(const PlanDraft& draft) {
  return std::any_of(draft.taken().begin(), draft.taken().end(), [&](std::size_t file) {
    const auto& manifest = draft.files()[file].manifest;
    const bool unchecked = draft.files()[file].unchecked || draft.skipped().contains(file);
    return !manifest || unchecked || !unguarded_operators(draft, *manifest).empty();
  });
}

// What nothing defines, as far as that is known.
void note_unreachable(const PlanDraft& draft, std::vector<std::vector<std::string>>& notes) {
  if (draft.has_unknown_content()) return;
  for (const std::size_t file : draft.taken()) {
    const auto& manifest = draft.files()[file].manifest;
    if (!manifest) continue;
    for (const std::string& op : undefined_operators(draft, *manifest)) {
      notes[file].push_back("nothing defines " + op + ": its kernels cannot be called");
    }
  }
}

// The cap chooses among the variants of a library, and says so of those that it decides.
void tell_of_cap(const PlanDraft& draft, const Setting& setting, const Request& request, Verdict& verdict,
                 std::size_t file) {
  if (!is_above_cap(verdict, request) || !verdict.manifest || setting.already.contains(file)) return;
  const auto taken = draft.variant_of(*verdict.manifest);
  if (taken == file) {
    verdict.notes.push_back("taken though ATEN_CPU_CAPABILITY allows " + request.cpu_cap +
                            " only: no variant within that can be");
  } else if (taken && !is_above_cap(draft.files()[*taken], request) && verdict.kind == VerdictKind::kSuperseded) {
    for (Reason& reason : verdict.reasons) {
      if (reason.code == Code::kSuperseded) reason.hint = "ATEN_CPU_CAPABILITY allows " + request.cpu_cap + " only";
    }
  }
}

}  // namespace

void tell_of_set(const PlanDraft& draft, const Request& request, LoadPlan& plan) {
  plan.missing = unserved(draft, request.require);
  plan.notes = plan_notes(draft, request);
  plan.tainted = is_tainted(draft);
}

LoadPlan make_plan(std::vector<Verdict> verdicts, const DispatcherState& before, const Request& request,
                   const std::vector<std::string>& already_loaded) {
  LoadPlan plan;
  const std::set<std::string> loaded(already_loaded.begin(), already_loaded.end());
  plan.files = in_search_order(std::move(verdicts));
  set_duplicates_apart(plan.files, loaded);
  const Files already = keep_loaded(plan.files, loaded);
  const Setting setting = {ranked(plan.files, request, already), already, request};
  const PlanDraft draft = final_draft(plan.files, before, setting);

  plan.order = in_opening_order(draft.taken(), plan.files, already);
  std::copy_if(plan.order.begin(), plan.order.end(), std::back_inserter(plan.already),
               [&](std::size_t file) { return already.contains(file); });
  tell_of_set(draft, request, plan);
  std::vector<std::vector<std::string>> notes(plan.files.size());
  note_unreachable(draft, notes);
  for (const auto& [file, skipped] : draft.skipped()) {
    notes[file].insert(notes[file].end(), skipped.begin(), skipped.end());
    plan.files[file].unchecked = true;
  }
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    Verdict& verdict = plan.files[file];
    verdict.notes.insert(verdict.notes.end(), notes[file].begin(), notes[file].end());
    if (const auto refusal = draft.refusals().find(file); refusal != draft.refusals().end()) {
      verdict.reasons.insert(verdict.reasons.end(), refusal->second.begin(), refusal->second.end());
      verdict.kind = is_superseded(refusal->second) ? VerdictKind::kSuperseded : VerdictKind::kRejected;
    }
    tell_of_cap(draft, setting, request, verdict, file);
  }
  return plan;
}

}  // namespace myops::rules
