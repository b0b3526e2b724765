#include "loader/system/bridge_text.h"

#include <nlohmann/json.hpp>

namespace myops::system {
namespace {

using nlohmann::json;
using Scope = SnapshotRequest::Scope;

const char* scope_word(Scope scope) {
  switch (scope) {
    case Scope::kAll:
      return "all";
    case Scope::kNamespaces:
      return "namespaces";
    case Scope::kPairs:
      return "pairs";
  }
  return "";
}

rules::DispatcherState state_from(const json& answer) {
  rules::DispatcherState state;
  answer.at("schemas").get_to(state.schemas);
  answer.at("defined_at").get_to(state.defined_at);
  answer.at("cpp").get_to(state.cpp);
  answer.at("cpp_symint").get_to(state.cpp_symint);
  answer.at("dangling").get_to(state.dangling);
  answer.at("fallbacks").get_to(state.fallbacks);
  answer.at("libraries").get_to(state.libraries);
  for (const auto& [op, kernels] : answer.at("kernels").items()) {
    for (const auto& [key, text] : kernels.items()) state.kernels[{op, key}] = text.get<std::string>();
  }
  return state;
}

Reason no_snapshot(const std::string& path, std::string found) {
  return {.code = Code::kOpenFailed,
          .subject = path,
          .expected = "what the dispatcher holds",
          .found = std::move(found),
          .hint = {}};
}

}  // namespace

std::string to_text(const SnapshotRequest& request) {
  const json value = {{"scope", scope_word(request.scope)},
                      {"namespaces", request.namespaces},
                      {"pairs", request.pairs},
                      {"signatures", request.signatures}};
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<rules::DispatcherState> parse_snapshot(std::string_view text, const std::string& path) {
  try {
    const auto answer = json::parse(text);
    if (answer.contains("error")) return no_snapshot(path, answer["error"].get<std::string>());
    return state_from(answer);
  } catch (const json::exception& error) {
    return no_snapshot(path, error.what());
  }
}

}  // namespace myops::system
