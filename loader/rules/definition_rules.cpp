#include <set>

#include "loader/rules/plan_rules.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

std::string choose_hint(const std::string& path) { return "remove one of the two, or name " + path + " in `disable`"; }

// An operator of the namespace that the dispatcher holds, "" for none.
std::string operator_before(const DispatcherState& before, const std::string& op_namespace) {
  const auto first = before.schemas.lower_bound(op_namespace + "::");
  const bool is_of_it = first != before.schemas.end() && namespace_of(first->first) == op_namespace;
  return is_of_it ? first->first : "";
}

std::string place_before(const DispatcherState& before, const std::string& op) {
  const auto place = before.defined_at.find(op);
  return place == before.defined_at.end() || place->second.empty() ? "in the dispatcher" : place->second;
}

// Where an operator is defined already, "" where it is not.
std::string defined_already(const PlanDraft& draft, const std::string& op) {
  const auto* definition = draft.definition(op);
  if (!definition) return "";
  return definition->file ? draft.files()[*definition->file].file.path : place_before(draft.before(), op);
}

// Where another operator of the namespace is defined already, "" where none is.
std::string namespace_defined_already(const PlanDraft& draft, const std::string& op_namespace) {
  if (const auto holder = draft.namespace_holder(op_namespace)) return draft.files()[*holder].file.path;
  const std::string op = operator_before(draft.before(), op_namespace);
  return op.empty() ? "" : place_before(draft.before(), op);
}

}  // namespace

std::vector<Reason> definition_faults(const PlanDraft& draft, std::size_t file) {
  const Verdict& verdict = draft.files()[file];
  if (!verdict.manifest) return {};
  std::vector<Reason> faults;
  std::set<std::string> namespaces;
  for (const std::string& schema : verdict.manifest->defines) {
    const std::string op = operator_of(schema);
    namespaces.insert(namespace_of(op));
    const std::string found = defined_already(draft, op);
    if (!found.empty()) faults.push_back({Code::kOperatorConflict, op, "", found, choose_hint(verdict.file.path)});
  }
  if (!faults.empty()) return faults;
  for (const std::string& op_namespace : namespaces) {
    const std::string found = namespace_defined_already(draft, op_namespace);
    if (!found.empty()) {
      faults.push_back({Code::kNamespaceTaken, op_namespace, "", found, choose_hint(verdict.file.path)});
    }
  }
  return faults;
}

}  // namespace myops::rules
