#include <algorithm>
#include <map>

#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

// Operator → its schema as the library's kernels were made for it.
std::map<std::string_view, std::string_view> operators_of(const Manifest& manifest) {
  std::map<std::string_view, std::string_view> operators;
  for (const auto& [key, records] : manifest.kernels) {
    for (const auto& [op, record] : records) operators.emplace(op, without_namespace(record.schema));
  }
  return operators;
}

// The schema library of this set that defines the operator and is refused; none where there is no such library.
std::optional<std::size_t> refused_schema(const PlanDraft& draft, std::string_view op, const std::string& set) {
  for (const std::size_t file : draft.definers_of(op)) {
    const Verdict& verdict = draft.files()[file];
    const bool stands_aside = verdict.kind == VerdictKind::kDisabled || verdict.kind == VerdictKind::kSuperseded;
    if (stands_aside || draft.defines(file)) continue;
    if (verdict.manifest->set == set) return file;
  }
  return std::nullopt;
}

std::string set_of_definition(const PlanDraft& draft, const PlanDraft::Definition& definition) {
  return definition.file ? draft.files()[*definition.file].manifest->set : "";
}

// Is the operator defined for libraries of this set? A definition from elsewhere does not count where the set brings
// its own and that was refused: the set is then taken or refused as a whole.
bool is_defined_for(const PlanDraft& draft, std::string_view op, const std::string& set) {
  const auto* definition = draft.definition(op);
  if (!definition) return is_of_torch(op);
  return set_of_definition(draft, *definition) == set || !refused_schema(draft, op, set);
}

void check_release(const PlanDraft& draft, std::size_t file, std::vector<Reason>& faults) {
  const Manifest& manifest = *draft.files()[file].manifest;
  const auto schema = draft.schema_of_set(manifest.set);
  if (!schema || *schema == file) return;
  const Verdict& reference = draft.files()[*schema];
  if (reference.manifest->release == manifest.release) return;
  faults.push_back({Code::kMixedRelease, manifest.set, reference.manifest->release, manifest.release,
                    "that is the release of " + reference.file.path + ": remove one of the two or rebuild"});
}

// The hint stands with the file itself, and may hold another file's in turn.
std::string without_hint(Reason reason) {
  reason.hint.clear();
  return to_text(reason);
}

Reason schema_missing(const PlanDraft& draft, const Manifest& manifest, const std::vector<std::string>& undefined) {
  for (const std::string& op : undefined) {
    const auto schema = refused_schema(draft, op, manifest.set);
    if (!schema) continue;
    const auto reasons = draft.reasons_against(*schema);
    return {Code::kSchemaMissing, listed(undefined), "a schema library",
            draft.files()[*schema].file.path + " was refused", reasons.empty() ? "" : without_hint(reasons.front())};
  }
  return {Code::kSchemaMissing, listed(undefined), "a schema library", "",
          "install the library that defines them, or add its folder to the search path"};
}

void check_definitions(const PlanDraft& draft, const Manifest& manifest, std::vector<Reason>& faults) {
  const auto operators = operators_of(manifest);
  const auto undefined = undefined_operators(draft, manifest);
  const bool schema_refused = std::any_of(undefined.begin(), undefined.end(), [&](const std::string& op) {
    return refused_schema(draft, op, manifest.set).has_value();
  });
  // One unknown name among known ones is a kernel that nothing can call, not a reason to do without the others.
  const bool none_defined = !operators.empty() && undefined.size() == operators.size();
  if (schema_refused || (none_defined && !draft.has_unknown_content())) {
    faults.push_back(schema_missing(draft, manifest, undefined));
  }
  for (const auto& [op, schema] : operators) {
    const auto* definition = draft.definition(op);
    if (!definition || schema.empty() || schema == definition->schema) continue;
    if (!is_defined_for(draft, op, manifest.set)) continue;
    faults.push_back({Code::kSchemaMismatch, std::string(op), std::string(schema), std::string(definition->schema),
                      "rebuild it against the schema present"});
  }
}

}  // namespace

std::vector<std::string> undefined_operators(const PlanDraft& draft, const Manifest& manifest) {
  std::vector<std::string> undefined;
  for (const auto& [op, schema] : operators_of(manifest)) {
    if (!is_defined_for(draft, op, manifest.set)) undefined.emplace_back(op);
  }
  return undefined;
}

std::vector<Reason> schema_faults(const PlanDraft& draft, std::size_t file) {
  const auto& manifest = draft.files()[file].manifest;
  std::vector<Reason> faults;
  if (!manifest) return faults;
  check_release(draft, file, faults);
  check_definitions(draft, *manifest, faults);
  return faults;
}

}  // namespace myops::rules
