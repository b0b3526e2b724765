#include <map>

#include "loader/rules/plan_rules.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

std::string choose_hint(const std::string& path) { return "remove one of the two, or name " + path + " in `disable`"; }

std::string place_in(const std::map<std::string, std::string>& places, const std::string& name) {
  const auto place = places.find(name);
  return place == places.end() || place->second.empty() ? "in the dispatcher" : place->second;
}

// Where an operator is defined already, "" where it is not.
std::string defined_already(const PlanDraft& draft, const std::string& op) {
  const auto* definition = draft.definition(op);
  if (!definition) return "";
  return definition->file ? draft.files()[*definition->file].file.path : place_in(draft.before().defined_at, op);
}

// Where the TORCH_LIBRARY block of the namespace is already, "" where there is none.
std::string block_already(const PlanDraft& draft, const std::string& op_namespace) {
  if (const auto holder = draft.namespace_holder(op_namespace)) return draft.files()[*holder].file.path;
  const auto& libraries = draft.before().libraries;
  return libraries.contains(op_namespace) ? place_in(libraries, op_namespace) : "";
}

}  // namespace

std::vector<Reason> definition_faults(const PlanDraft& draft, std::size_t file) {
  const Verdict& verdict = draft.files()[file];
  if (!verdict.manifest) return {};
  std::vector<Reason> faults;
  for (const std::string& schema : verdict.manifest->defines) {
    const std::string op(operator_of(schema));
    const std::string found = defined_already(draft, op);
    if (!found.empty()) faults.push_back({Code::kOperatorConflict, op, "", found, choose_hint(verdict.file.path)});
  }
  if (!faults.empty()) return faults;
  for (const std::string& op_namespace : verdict.manifest->libraries) {
    const std::string found = block_already(draft, op_namespace);
    if (!found.empty()) {
      faults.push_back({Code::kNamespaceTaken, op_namespace, "", found, choose_hint(verdict.file.path)});
    }
  }
  return faults;
}

}  // namespace myops::rules
