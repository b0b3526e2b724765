#include "loader/link/version_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace myops::link {
namespace {

using Providers = std::unordered_map<std::string_view, const Object*>;

Providers providers_of(const Closure& closure) {
  Providers providers;
  for (const Object& object : closure.known) {
    providers.try_emplace(object.soname, &object);
    providers.try_emplace(object.path, &object);
    if (object.facts) providers.try_emplace(object.facts->soname, &object);
    for (const std::string& name : object.names) providers.try_emplace(name, &object);
  }
  return providers;
}

bool is_missing_library(const Closure& closure, const std::string& name) {
  return std::any_of(closure.missing.begin(), closure.missing.end(),
                     [&](const MissingLibrary& missing) { return missing.soname == name; });
}

// "PATH has GLIBCXX_3.4.30": the last version defined whose name has the same letters before its number.
std::string newest_text(const Object& provider, std::string_view version) {
  const std::string_view kind = version.substr(0, version.find_first_of("0123456789"));
  const auto& definitions = provider.facts->version_definitions;
  const auto newest = std::find_if(definitions.rbegin(), definitions.rend(), [&](const std::string& definition) {
    return definition.starts_with(kind) && definition.size() > kind.size() && definition[kind.size()] >= '0' &&
           definition[kind.size()] <= '9';
  });
  return newest == definitions.rend() ? provider.path : provider.path + " has " + *newest;
}

bool are_versions_known(const elf::ElfFacts& facts) { return !facts.identity_only || facts.versions_known; }

class VersionCheck {
 public:
  explicit VersionCheck(const Closure& closure) : closure_(closure), providers_(providers_of(closure)) {}

  void check(const Object& object) {
    if (!object.facts) return;
    for (const elf::VersionNeed& need : object.facts->version_needs) check(object, need);
  }

  std::vector<Missing> take() { return std::move(missing_); }

 private:
  void check(const Object& object, const elf::VersionNeed& need) {
    const auto found = providers_.find(need.file);
    if (found == providers_.end()) {
      // Its absence is reported already; or no DT_NEEDED names it (any more), and glibc asserts that it is there.
      if (closure_.gave_up || is_missing_library(closure_, need.file)) return;
      report({MissingKind::kLibrary,
              need.file,
              "",
              object.path,
              need.file,
              {},
              "a version is needed from it, and no DT_NEEDED names it: the dynamic linker ends the process"});
      return;
    }
    const Object& provider = *found->second;
    if (!provider.facts || !are_versions_known(*provider.facts) || !provider.facts->has_version_definitions) return;
    if (need.weak || provider.facts->base_version == need.version || definitions_of(provider).contains(need.version))
      return;
    report({MissingKind::kVersion, need.version, "", object.path, need.file, {}, newest_text(provider, need.version)});
  }

  void report(Missing missing) {
    if (reported_.emplace(missing.needed_by, missing.expected_in, missing.name).second)
      missing_.push_back(std::move(missing));
  }

  const std::unordered_set<std::string_view>& definitions_of(const Object& provider) {
    const auto [entry, added] = definitions_.try_emplace(&provider);
    const auto& names = provider.facts->version_definitions;
    if (added) entry->second.insert(names.begin(), names.end());
    return entry->second;
  }

  const Closure& closure_;
  Providers providers_;
  std::unordered_map<const Object*, std::unordered_set<std::string_view>> definitions_;
  std::set<std::tuple<std::string, std::string, std::string>> reported_;
  std::vector<Missing> missing_;
};

}  // namespace

std::vector<Missing> missing_versions(const Closure& closure) {
  VersionCheck versions(closure);
  for (const Object& object : closure.opened) versions.check(object);
  return versions.take();
}

}  // namespace myops::link
