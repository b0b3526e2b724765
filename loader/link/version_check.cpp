#include "loader/link/version_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace myops::link {
namespace {

// Plugins need versions of a handful of files: asking all of them is less work than an index of their names.
const Object* provider_of(const Closure& closure, const std::string& name) {
  const auto found =
      std::ranges::find_if(closure.known, [&](const Object* object) { return is_called(*object, name); });
  return found == closure.known.end() ? nullptr : *found;
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
  explicit VersionCheck(const Closure& closure) : closure_(closure) {}

  void check(const Object& object) {
    const std::string* file = nullptr;
    const Object* provider = nullptr;
    for (const elf::VersionNeed& need : object.facts->version_needs) {
      // Needs of one file follow each other.
      if (!file || need.file != *file) provider = provider_of(closure_, need.file);
      file = &need.file;
      check(object, need, provider);
    }
  }

  std::vector<Missing> take() { return std::move(missing_); }

 private:
  void check(const Object& object, const elf::VersionNeed& need, const Object* provider) {
    if (!provider) {
      // Its absence is reported already; or no DT_NEEDED names it (any more), and glibc asserts that it is there.
      if (closure_.gave_up || is_missing_library(closure_, need.file)) return;
      report({MissingKind::kLibrary,
              need.file,
              "",
              object.path,
              need.file,
              {},
              {},
              "a version is needed from it, and no DT_NEEDED names it: the dynamic linker ends the process"});
      return;
    }
    if (!provider->facts || !are_versions_known(*provider->facts) || !provider->facts->has_version_definitions) return;
    const auto& definitions = provider->facts->version_definitions;
    const bool is_there = provider->facts->base_version == need.version ||
                          std::ranges::find(definitions, need.version) != definitions.end();
    if (need.weak || is_there) return;
    report({MissingKind::kVersion,
            need.version,
            "",
            object.path,
            need.file,
            {},
            {},
            newest_text(*provider, need.version)});
  }

  void report(Missing missing) {
    if (reported_.emplace(missing.needed_by, missing.expected_in, missing.name).second)
      missing_.push_back(std::move(missing));
  }

  const Closure& closure_;
  std::set<std::tuple<std::string, std::string, std::string>> reported_;
  std::vector<Missing> missing_;
};

}  // namespace

std::vector<Missing> missing_versions(const Closure& closure) {
  VersionCheck versions(closure);
  for (const auto& object : closure.opened) versions.check(*object);
  return versions.take();
}

}  // namespace myops::link
