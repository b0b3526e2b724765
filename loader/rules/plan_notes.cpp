#include <algorithm>
#include <functional>

#include "loader/rules/choice.h"
#include "loader/rules/dispatch_keys.h"
#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

using Keys = std::set<std::string_view>;

bool has_backend(const Keys& keys) { return std::any_of(keys.begin(), keys.end(), is_backend_key); }

bool has_autograd(const Keys& keys) {
  // CompositeImplicitAutograd kernels are made of operators that bring their gradients.
  return std::any_of(keys.begin(), keys.end(), is_autograd_key) || keys.contains("CompositeImplicitAutograd");
}

AliasMarks marks_of(const PlanDraft& draft, std::string_view op) {
  const auto* definition = draft.definition(op);
  return definition ? alias_marks(definition->schema) : AliasMarks{};
}

std::vector<std::string> operators_where(const PlanDraft& draft,
                                         const std::function<bool(std::string_view, const Keys&)>& condition) {
  std::vector<std::string> operators;
  for (const auto& [op, keys] : draft.keys_of_operators()) {
    if (!is_of_torch(op) && has_backend(keys) && condition(op, keys)) operators.emplace_back(op);
  }
  return operators;
}

// " (refused: …)" where a library that would help was found and is not taken.
std::string refused_text(const PlanDraft& draft, const std::function<bool(std::string_view)>& is_wanted_key) {
  const auto refused =
      refused_candidates(draft, [&](const Manifest& manifest) { return manifest.has_key(is_wanted_key); });
  return refused.empty() ? "" : " (refused: " + joined(refused) + ")";
}

// Composite kernels do the work: there are some, and none of a device. Meta computes nothing.
bool is_composite_only(const Keys& keys) {
  const auto is_of_device = [](std::string_view key) {
    return is_backend_key(key) && !is_composite_key(key) && key != "Meta";
  };
  return std::any_of(keys.begin(), keys.end(), is_composite_key) &&
         std::none_of(keys.begin(), keys.end(), is_of_device);
}

bool computes(std::string_view key) {
  return (is_backend_key(key) && key != "Meta") || key == "CompositeImplicitAutograd";
}

// An operator that can be called and is computed by nobody.
void note_kernels(const PlanDraft& draft, std::vector<std::string>& notes) {
  std::vector<std::string> idle;
  for (const auto& [op, definition] : draft.definitions()) {
    const auto keys = draft.keys_of_operators().find(op);
    const bool is_computed =
        keys != draft.keys_of_operators().end() && std::any_of(keys->second.begin(), keys->second.end(), computes);
    if (definition.file && !is_computed) idle.emplace_back(op);
  }
  if (idle.empty()) return;
  notes.push_back("nothing computes " + listed(idle) +
                  ", unless Python gives kernels: no library with theirs for a device is taken" +
                  refused_text(draft, computes));
}

void note_gradients(const PlanDraft& draft, std::vector<std::string>& notes) {
  const std::string why = ": no library with their Autograd kernels is taken" + refused_text(draft, is_autograd_key);
  const auto missing = operators_where(
      draft, [](const auto&, const Keys& keys) { return !has_autograd(keys) && !is_composite_only(keys); });
  if (!missing.empty()) notes.push_back("gradients would be missing for " + listed(missing) + why);
  const auto of_aten = operators_where(
      draft, [](const auto&, const Keys& keys) { return !has_autograd(keys) && is_composite_only(keys); });
  if (!of_aten.empty()) {
    notes.push_back("gradients of " + listed(of_aten) + " are left to the operators they are made of, and torch warns" +
                    why);
  }
}

// Fake tensors ask a Meta kernel for the shape; composite kernels ask those of the operators that they are made of.
void note_meta(const PlanDraft& draft, std::vector<std::string>& notes) {
  const auto without = operators_where(draft, [](const auto&, const Keys& keys) {
    return !keys.contains("Meta") && !keys.contains("CompositeImplicitAutograd") &&
           std::none_of(keys.begin(), keys.end(), is_composite_key);
  });
  if (without.empty()) return;
  notes.push_back("torch.compile, export and fake tensors would refuse " + listed(without) +
                  ", unless Python gives a fake implementation: no library with their Meta kernels is taken" +
                  refused_text(draft, [](std::string_view key) { return key == "Meta"; }));
}

// Compile and export rewrite an operator that writes and returns no alias by themselves; one that returns what it wrote
// in torch 2.15, not in every release before it; and none that returns another alias (can_auto_functionalize() in
// torch/_higher_order_ops/auto_functionalize.py).
void note_functionalize(const PlanDraft& draft, std::vector<std::string>& notes) {
  static constexpr const char* kKey = "Functionalize";
  const std::string why = ": no library with their Functionalize kernels is taken" +
                          refused_text(draft, [](std::string_view key) { return key == kKey; });
  const auto views = operators_where(draft, [&](std::string_view op, const Keys& keys) {
    return marks_of(draft, op).returns_view && !keys.contains(kKey);
  });
  if (!views.empty()) notes.push_back("torch.compile and export would refuse " + listed(views) + why);
  const auto written = operators_where(draft, [&](std::string_view op, const Keys& keys) {
    const AliasMarks marks = marks_of(draft, op);
    return marks.returns_written && !marks.returns_view && !keys.contains(kKey);
  });
  if (!written.empty()) {
    notes.push_back("torch.compile and export of some releases would refuse " + listed(written) +
                    ", which return what they write" + why);
  }
}

void note_incomplete(const PlanDraft& draft, std::vector<std::string>& notes) {
  for (const std::size_t file : draft.taken()) {
    const Verdict& verdict = draft.files()[file];
    const auto operators =
        verdict.manifest ? unguarded_operators(draft, *verdict.manifest) : std::vector<std::string>();
    if (operators.empty()) continue;
    notes.push_back(verdict.name + " is loaded without ADInplaceOrView kernels for " + listed(operators) +
                    ": gradients that pass through these can be wrong");
  }
}

void note_unstamped(const PlanDraft& draft, std::vector<std::string>& notes) {
  for (const std::size_t file : draft.taken()) {
    const Verdict& verdict = draft.files()[file];
    if (!verdict.manifest) notes.push_back(verdict.name + " is loaded though its manifest was never written");
  }
}

void note_idle_entries(const PlanDraft& draft, const char* option, const std::vector<std::string>& entries,
                       bool (*means)(const std::string&, const Verdict&), std::vector<std::string>& notes) {
  for (const std::string& entry : entries) {
    const bool matches = std::any_of(draft.files().begin(), draft.files().end(),
                                     [&](const Verdict& verdict) { return means(entry, verdict); });
    if (!matches) notes.push_back(std::string(option) + " entry \"" + entry + "\" matches no library");
  }
}

}  // namespace

std::vector<std::string> plan_notes(const PlanDraft& draft, const Request& request) {
  std::vector<std::string> notes;
  note_unstamped(draft, notes);
  note_incomplete(draft, notes);
  note_kernels(draft, notes);
  note_gradients(draft, notes);
  note_meta(draft, notes);
  note_functionalize(draft, notes);
  note_idle_entries(draft, "disable", request.disable, disables, notes);
  note_idle_entries(draft, "prefer", request.prefer, prefers, notes);
  return notes;
}

}  // namespace myops::rules
