#include "loader/system/bridge_exchange.h"

#include <exception>
#include <utility>

#include "loader/printable.h"

namespace myops::system {

std::vector<myops_bridge_question> questions_of(const SnapshotRequest& request) {
  std::vector<myops_bridge_question> questions;
  const auto add = [&](myops_bridge_ask ask, const std::vector<std::string>& names) {
    for (const auto& name : names) questions.push_back({ask, name.c_str(), nullptr});
  };
  if (request.everything) questions.push_back({MYOPS_ASK_EVERYTHING, nullptr, nullptr});
  if (request.signatures) questions.push_back({MYOPS_ASK_SIGNATURES, nullptr, nullptr});
  add(MYOPS_ASK_NAMESPACE, request.namespaces);
  add(MYOPS_ASK_LIBRARY, request.libraries);
  add(MYOPS_ASK_OPERATOR, request.operators);
  for (const auto& [op, key] : request.kernels) questions.push_back({MYOPS_ASK_KERNEL, op.c_str(), key.c_str()});
  return questions;
}

std::vector<myops_bridge_absence> absences_of(const std::vector<rules::AbsentKernel>& kernels) {
  std::vector<myops_bridge_absence> table;
  for (const auto& kernel : kernels) table.push_back({kernel.op.c_str(), kernel.key.c_str(), kernel.text.c_str()});
  return table;
}

void Told::tell(void* context, int fact, const char* name, const char* key, const char* text) noexcept {
  auto& self = *static_cast<Told*>(context);
  try {
    self.take_fact(fact, name, key, text);
  } catch (const std::exception& error) {
    self.error_ = error.what();  // of few letters: no memory for a fact
  }
}

// Registration text is free text; what is no UTF-8 in it is replaced, not refused, as it is in a manifest.
void Told::take_fact(int fact, const char* name, const char* key, const char* text) {
  switch (fact) {
    case MYOPS_TOLD_SCHEMA:
      state_.schemas[name] = valid_utf8(text);
      return;
    case MYOPS_TOLD_DEFINED_AT:
      state_.defined_at[name] = valid_utf8(text);
      return;
    case MYOPS_TOLD_KERNEL:
      state_.kernels[{name, key}] = valid_utf8(text);
      return;
    case MYOPS_TOLD_CPP:
      state_.cpp[name] = valid_utf8(text);
      return;
    case MYOPS_TOLD_CPP_SYMINT:
      state_.cpp_symint[name] = valid_utf8(text);
      return;
    case MYOPS_TOLD_DANGLING:
      state_.dangling.emplace_back(name);
      return;
    case MYOPS_TOLD_FALLBACK:
      state_.fallbacks.emplace_back(key);
      return;
    case MYOPS_TOLD_LIBRARY:
      state_.libraries[name] = valid_utf8(text);
      return;
    case MYOPS_TOLD_EXPLAINED:
      state_.explained.emplace(name, key);
      return;
    case MYOPS_TOLD_ERROR:
      error_ = valid_utf8(text);
      return;
    default:
      error_ = "a fact of the unknown kind " + std::to_string(fact);
  }
}

std::optional<Reason> Told::error(const std::string& bridge) const {
  if (!error_) return std::nullopt;
  return Reason{.code = Code::kOpenFailed,
                .subject = bridge,
                .expected = "what the dispatcher holds",
                .found = *error_,
                .hint = {}};
}

Result<rules::DispatcherState> Told::take(const std::string& bridge) {
  if (const auto reason = error(bridge)) return *reason;
  return std::move(state_);
}

}  // namespace myops::system
