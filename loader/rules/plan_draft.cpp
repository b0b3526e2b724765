#include "loader/rules/plan_draft.h"

#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

template <class Map, class Key>
std::optional<std::size_t> holder(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

template <class Map>
const typename Map::mapped_type* entry(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

const std::string* DispatcherState::kernel(std::string_view op, std::string_view key) const {
  if (kernels.empty()) return nullptr;
  const auto found = kernels.find({std::string(op), std::string(key)});
  return found == kernels.end() ? nullptr : &found->second;
}

std::set<std::string_view> DispatcherState::keys_of(std::string_view op) const {
  std::set<std::string_view> keys;
  if (kernels.empty()) return keys;
  for (auto kernel = kernels.lower_bound({std::string(op), ""}); kernel != kernels.end(); ++kernel) {
    if (kernel->first.first != op) break;
    keys.insert(kernel->first.second);
  }
  return keys;
}

PlanDraft::PlanDraft(const std::vector<Verdict>& files, const DispatcherState& before)
    : files_(files), before_(before) {
  for (const auto& [op, schema] : before.schemas) definitions_[op] = {without_namespace(schema), std::nullopt};
  for (const auto& [op, text] : before.cpp) signatures_[op] = {text};
  for (const auto& [op, text] : before.cpp_symint) signatures_symint_[op] = {text};
  for (std::size_t file = 0; file < files.size(); ++file) {
    if (!files[file].manifest) continue;
    for (const std::string& schema : files[file].manifest->defines) all_definers_[operator_of(schema)].push_back(file);
  }
}

void PlanDraft::take_definitions(std::size_t file) {
  const auto& manifest = files_[file].manifest;
  if (!manifest) has_unknown_content_ = true;
  if (!manifest) return;
  for (const std::string& op_namespace : manifest->libraries) namespaces_.emplace(op_namespace, file);
  if (!manifest->libraries.empty()) definers_.insert(file);
  if (manifest->defines.empty()) return;
  definers_.insert(file);
  sets_.emplace(manifest->set, file);
  for (const std::string& schema : manifest->defines) {
    definitions_[operator_of(schema)] = {without_namespace(schema), file};
  }
}

void PlanDraft::take_kernel(std::size_t file, std::string_view op, std::string_view key, const KernelRecord& record) {
  kernels_.emplace(std::pair(op, key), file);
  const auto [keys, is_new] = keys_of_.try_emplace(op);
  if (is_new) keys->second = before_.keys_of(op);
  keys->second.insert(key);
  if (!record.cpp.empty()) signatures_.try_emplace(op, Signature{record.cpp, key, file});
  if (!record.cpp_symint.empty()) signatures_symint_.try_emplace(op, Signature{record.cpp_symint, key, file});
}

void PlanDraft::take_kernels(std::size_t file) {
  taken_.push_back(file);
  const auto& manifest = files_[file].manifest;
  if (!manifest) return;
  variants_.emplace(std::pair<std::string_view, std::string_view>(manifest->op_namespace, manifest->name), file);
  for (const std::string& key : manifest->fallbacks) fallbacks_.emplace(key, file);
  for (const auto& [key, operators] : manifest->kernels) {
    for (const auto& [op, record] : operators) take_kernel(file, op, key, record);
  }
}

std::vector<Reason> PlanDraft::reasons_against(std::size_t file) const {
  std::vector<Reason> reasons = files_[file].reasons;
  if (const auto refusal = refusals_.find(file); refusal != refusals_.end()) {
    reasons.insert(reasons.end(), refusal->second.begin(), refusal->second.end());
  }
  return reasons;
}

const PlanDraft::Definition* PlanDraft::definition(std::string_view op) const { return entry(definitions_, op); }

const std::vector<std::size_t>& PlanDraft::definers_of(std::string_view op) const {
  static const std::vector<std::size_t> kNone;
  const auto* definers = entry(all_definers_, op);
  return definers ? *definers : kNone;
}

std::optional<std::size_t> PlanDraft::namespace_holder(std::string_view op_namespace) const {
  return holder(namespaces_, op_namespace);
}

std::optional<std::size_t> PlanDraft::variant_of(const Manifest& manifest) const {
  return holder(variants_, std::pair<std::string_view, std::string_view>(manifest.op_namespace, manifest.name));
}

std::optional<std::size_t> PlanDraft::schema_of_set(std::string_view set) const { return holder(sets_, set); }

std::optional<std::size_t> PlanDraft::kernel_holder(std::string_view op, std::string_view key) const {
  return holder(kernels_, std::pair(op, key));
}

std::optional<std::size_t> PlanDraft::fallback_holder(std::string_view key) const { return holder(fallbacks_, key); }

const PlanDraft::Signature* PlanDraft::signature(std::string_view op) const { return entry(signatures_, op); }

const PlanDraft::Signature* PlanDraft::signature_symint(std::string_view op) const {
  return entry(signatures_symint_, op);
}

}  // namespace myops::rules
