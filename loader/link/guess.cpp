#include "loader/link/guess.h"

#include <algorithm>
#include <utility>

#include "loader/link/mangled.h"

namespace myops::link {
namespace {

struct Home {
  std::string_view prefix;
  std::string_view library;
};

// Namespaces as mangled names have them; the narrower before the wider.
constexpr Home kNamespaces[] = {
    {"3c104cuda", "libc10_cuda.so"}, {"3c10", "libc10.so"},         {"2at4cuda", "libtorch_cuda.so"},
    {"2at", "libtorch_cpu.so"},      {"5torch", "libtorch_cpu.so"}, {"6caffe2", "libtorch_cpu.so"},
    {"St", "libstdc++.so.6"},
};

// Prefixes of C names.
constexpr Home kPrefixes[] = {
    {"aoti_torch_", "libtorch_cpu.so"},
    {"_Py", "python"},
    {"Py", "python"},
};

bool is_opened(const Closure& closure, const Object& object) {
  return std::any_of(closure.opened.begin(), closure.opened.end(),
                     [&](const auto& opened) { return opened->path == object.path; });
}

}  // namespace

LibraryGuess::LibraryGuess(const Closure& closure, std::span<const std::string_view> names) : closure_(closure) {
  for (const std::string_view name : names) {
    for (const std::string_view scope : EnclosingScopes(name)) counts_.try_emplace(scope);
  }
  if (counts_.empty()) return;
  for (std::size_t i = 0; i < closure.scope.size(); ++i) {
    const Object& object = *closure.scope[i];
    if (!object.facts || is_opened(closure, object)) continue;
    for (const elf::Symbol& symbol : object.facts->exports) {
      // Weak ones are inline functions: every user has them.
      if (symbol.weak()) continue;
      for (const std::string_view scope : EnclosingScopes(symbol.name)) {
        if (const auto found = counts_.find(scope); found != counts_.end()) ++found->second[i];
      }
    }
  }
}

std::string LibraryGuess::of(std::string_view name) const {
  const EnclosingScopes scopes(name);
  for (const std::string_view scope : scopes) {
    const auto found = counts_.find(scope);
    if (found == counts_.end() || found->second.empty()) continue;
    const auto most = std::max_element(found->second.begin(), found->second.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return closure_.scope[most->first]->soname;
  }
  for (const Home& home : kNamespaces) {
    const bool there =
        std::any_of(scopes.begin(), scopes.end(), [&](std::string_view scope) { return scope == home.prefix; });
    if (there) return std::string(home.library);
  }
  for (const Home& home : kPrefixes) {
    if (name.starts_with(home.prefix)) return std::string(home.library);
  }
  return "";
}

}  // namespace myops::link
