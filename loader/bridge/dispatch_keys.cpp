#include "loader/bridge/dispatch_keys.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <set>

namespace myops::bridge {
namespace {

using c10::DispatchKey;

std::vector<DispatchKey> keys_up_to(DispatchKey last) {
  std::vector<DispatchKey> keys;
  for (auto value = 1; value <= static_cast<int>(last); ++value) keys.push_back(static_cast<DispatchKey>(value));
  return keys;
}

}  // namespace

bool is_key_name(std::string_view name) {
  static const auto names = [] {
    std::set<std::string, std::less<>> all;
    for (const auto key : keys_up_to(DispatchKey::EndOfAliasKeys)) all.insert(c10::toString(key));
    return all;
  }();
  return names.contains(name);
}

std::vector<std::string> keys_with_fallback() {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<std::string> found;
  for (const auto key : keys_up_to(DispatchKey::EndOfRuntimeBackendKeys)) {
    // "Dense", "AutogradFunctionality", … stand for a whole row of the table and share the first slot of it.
    if (c10::isPerBackendFunctionalityKey(key)) continue;
    if (dispatcher.hasBackendFallbackForDispatchKey(key)) found.emplace_back(c10::toString(key));
  }
  return found;
}

}  // namespace myops::bridge
