#include "loader/bridge/snapshot.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "loader/bridge/dispatch_keys.h"
#include "loader/bridge/library_blocks.h"
#include "loader/bridge/operator_facts.h"

namespace myops::bridge {
namespace {

using nlohmann::json;
using Keys = std::set<std::string>;

// What is asked for: operators, and of each some keys or (empty) all; and namespaces.
struct Selection {
  std::map<std::string, Keys> operators;
  std::set<std::string> namespaces;
  bool everything = false;
  bool signatures = true;

  bool contains(const std::string& op) const { return everything || operators.contains(op); }
};

Selection select_pairs(const json& request) {
  Selection selection;
  for (const auto& [op, key] : request.at("pairs").get<std::vector<std::pair<std::string, std::string>>>()) {
    selection.operators[op].insert(key);
  }
  return selection;
}

Selection select_namespaces(const json& request) {
  Selection selection = request.contains("pairs") ? select_pairs(request) : Selection{};
  selection.namespaces = request.at("namespaces").get<std::set<std::string>>();
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op_namespace = name.getNamespace();
    if (!op_namespace || !selection.namespaces.contains(std::string(*op_namespace))) continue;
    selection.operators[full_name(name)].clear();
  }
  return selection;
}

Selection select_all() {
  Selection selection;
  selection.everything = true;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    selection.operators[full_name(name)];
    if (const auto op_namespace = name.getNamespace()) selection.namespaces.emplace(*op_namespace);
  }
  return selection;
}

Selection select(const json& request) {
  const auto scope = request.at("scope").get<std::string>();
  if (scope == "all") return select_all();
  if (scope == "namespaces") return select_namespaces(request);
  if (scope == "pairs") return select_pairs(request);
  throw std::invalid_argument("unknown scope \"" + scope + "\"");
}

void add_signatures(const std::string& op, const c10::OperatorHandle& handle, json& result) {
  if (auto text = cpp_signature(handle); !text.empty()) result["cpp"][op] = std::move(text);
  if (auto text = cpp_symint_signature(handle); !text.empty()) result["cpp_symint"][op] = std::move(text);
}

void add_operator(const std::string& op, const Keys& keys, bool signatures, json& result) {
  const auto handle = c10::Dispatcher::singleton().findOp(operator_name(op));
  if (!handle) return;
  if (handle->hasSchema()) {
    result["schemas"][op] = c10::toString(handle->schema());
    result["defined_at"][op] = handle->debug();
  }
  for (auto& [key, text] : kernels(*handle)) {
    if (keys.empty() || keys.contains(key)) result["kernels"][op][key] = std::move(text);
  }
  if (signatures) add_signatures(op, *handle, result);
}

}  // namespace

json snapshot(const json& request) {
  auto selection = select(request);
  selection.signatures = request.value("signatures", true);
  json result = {{"schemas", json::object()}, {"defined_at", json::object()}, {"kernels", json::object()},
                 {"cpp", json::object()},     {"cpp_symint", json::object()}, {"dangling", json::array()}};
  for (const auto& [op, keys] : selection.operators) add_operator(op, keys, selection.signatures, result);
  for (const auto& handle : c10::Dispatcher::singleton().findDanglingImpls()) {
    if (auto op = full_name(handle.operator_name()); selection.contains(op))
      result["dangling"].push_back(std::move(op));
  }
  result["fallbacks"] = keys_with_fallback();
  result["libraries"] = library_blocks(selection.namespaces);
  return result;
}

}  // namespace myops::bridge
