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
const typename Map::mapped_type* entry(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

std::set<std::string> DispatcherState::keys_of(const std::string& op) const {
  std::set<std::string> keys;
  for (auto kernel = kernels.lower_bound({op, ""}); kernel != kernels.end(); ++kernel) {
    if (kernel->first.first != op) break;
    keys.insert(kernel->first.second);
  }
  return keys;
}

PlanDraft::PlanDraft(const std::vector<Verdict>& files, const DispatcherState& before)
    : files_(files), before_(before) {
  for (const auto& [op, schema] : before.schemas) definitions_[op] = {without_namespace(schema), std::nullopt};
  for (const auto& [op, text] : before.cpp) signatures_[op] = {text, "the dispatcher"};
  for (const auto& [op, text] : before.cpp_symint) signatures_symint_[op] = {text, "the dispatcher"};
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

void PlanDraft::take_kernel(std::size_t file, const OpKey& op_key, const KernelRecord& record) {
  const auto& [op, key] = op_key;
  kernels_.emplace(op_key, file);
  const auto [keys, is_new] = keys_of_.try_emplace(op);
  if (is_new) keys->second = before_.keys_of(op);
  keys->second.insert(key);
  const std::string where = key + " in " + files_[file].file.path;
  if (!record.cpp.empty()) signatures_.emplace(op, Signature{record.cpp, where});
  if (!record.cpp_symint.empty()) signatures_symint_.emplace(op, Signature{record.cpp_symint, where});
}

void PlanDraft::take_kernels(std::size_t file) {
  taken_.push_back(file);
  const auto& manifest = files_[file].manifest;
  if (!manifest) return;
  variants_.emplace(std::pair(manifest->op_namespace, manifest->name), file);
  for (const std::string& key : manifest->fallbacks) fallbacks_.emplace(key, file);
  for (const auto& [key, operators] : manifest->kernels) {
    for (const auto& [op, record] : operators) take_kernel(file, {op, key}, record);
  }
}

std::vector<Reason> PlanDraft::reasons_against(std::size_t file) const {
  std::vector<Reason> reasons = files_[file].reasons;
  if (const auto refusal = refusals_.find(file); refusal != refusals_.end()) {
    reasons.insert(reasons.end(), refusal->second.begin(), refusal->second.end());
  }
  return reasons;
}

const PlanDraft::Definition* PlanDraft::definition(const std::string& op) const { return entry(definitions_, op); }

const std::vector<std::size_t>& PlanDraft::definers_of(const std::string& op) const {
  static const std::vector<std::size_t> kNone;
  const auto* definers = entry(all_definers_, op);
  return definers ? *definers : kNone;
}

std::optional<std::size_t> PlanDraft::namespace_holder(const std::string& op_namespace) const {
  return holder(namespaces_, op_namespace);
}

std::optional<std::size_t> PlanDraft::variant_of(const Manifest& manifest) const {
  return holder(variants_, std::pair(manifest.op_namespace, manifest.name));
}

std::optional<std::size_t> PlanDraft::schema_of_set(const std::string& set) const { return holder(sets_, set); }

std::optional<std::size_t> PlanDraft::kernel_holder(const OpKey& op_key) const { return holder(kernels_, op_key); }

std::optional<std::size_t> PlanDraft::fallback_holder(const std::string& key) const { return holder(fallbacks_, key); }

const PlanDraft::Signature* PlanDraft::signature(const std::string& op) const { return entry(signatures_, op); }

const PlanDraft::Signature* PlanDraft::signature_symint(const std::string& op) const {
  return entry(signatures_symint_, op);
}

}  // namespace myops::rules
