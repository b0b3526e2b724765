#include "loader/system/stamp_registrations.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "loader/rules/schema_text.h"

namespace myops::system {
namespace {

using rules::DispatcherState;
using rules::namespace_of;

std::string text_or_empty(const std::map<std::string, std::string>& texts, const std::string& op) {
  const auto found = texts.find(op);
  return found == texts.end() ? std::string{} : found->second;
}

std::vector<std::string> new_words(std::vector<std::string> before, std::vector<std::string> after) {
  std::ranges::sort(before);
  std::ranges::sort(after);
  std::vector<std::string> added;
  std::ranges::set_difference(after, before, std::back_inserter(added));
  return added;
}

rules::KernelRecord record(const DispatcherState& state, const DispatcherState::OpKey& kernel) {
  const auto& op = kernel.first;
  rules::KernelRecord record{.schema = std::string(rules::without_namespace(text_or_empty(state.schemas, op))),
                             .cpp = {},
                             .cpp_symint = {},
                             .registered = state.kernels.at(kernel)};
  const auto form = kernel_form(record.registered);
  if (form == KernelForm::kUnboxed) record.cpp = text_or_empty(state.cpp, op);
  if (form == KernelForm::kSymInt) record.cpp_symint = text_or_empty(state.cpp_symint, op);
  return record;
}

}  // namespace

std::vector<std::string> Registrations::namespaces() const {
  std::set<std::string> names;
  for (const auto& schema : defines) names.emplace(namespace_of(schema));
  for (const auto& [key, operators] : kernels) {
    for (const auto& [op, unused] : operators) names.emplace(namespace_of(op));
  }
  return {names.begin(), names.end()};
}

std::vector<DispatcherState::OpKey> new_kernels(const DispatcherState& before, const DispatcherState& after) {
  std::vector<DispatcherState::OpKey> added;
  for (const auto& [kernel, text] : after.kernels) {
    const auto found = before.kernels.find(kernel);
    if (found == before.kernels.end() || found->second != text) added.push_back(kernel);
  }
  return added;
}

Registrations difference(const DispatcherState& before, const DispatcherState& after) {
  Registrations added;
  for (const auto& [op, schema] : after.schemas) {
    if (!before.schemas.contains(op)) added.defines.push_back(schema);
  }
  std::ranges::sort(added.defines);
  for (const auto& [op_namespace, place] : after.libraries) {
    if (!before.libraries.contains(op_namespace)) added.libraries.push_back(op_namespace);
  }
  for (const auto& kernel : new_kernels(before, after)) {
    added.kernels[kernel.second][kernel.first] = record(after, kernel);
  }
  added.fallbacks = new_words(before.fallbacks, after.fallbacks);
  added.dangling = new_words(before.dangling, after.dangling);
  const auto touched = added.namespaces();
  for (const auto& [op, schema] : after.schemas) {
    if (std::ranges::binary_search(touched, namespace_of(op))) added.schemas.push_back(schema);
  }
  std::ranges::sort(added.schemas);
  return added;
}

KernelForm kernel_form(std::string_view registration) {
  const auto bracket = registration.rfind(" [ ");
  if (bracket == std::string_view::npos) return KernelForm::kBoxed;
  const auto form = registration.substr(bracket);
  if (form.find("fallthrough") != std::string_view::npos) return KernelForm::kFallthrough;
  if (form.find("unboxed") != std::string_view::npos) return KernelForm::kUnboxed;
  // torch has no word for a SymInt function, but only a C++ function comes with a schema inferred from its type.
  return registration.substr(0, bracket).ends_with(":: (none)") ? KernelForm::kBoxed : KernelForm::kSymInt;
}

}  // namespace myops::system
