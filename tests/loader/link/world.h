// A file system of facts for the resolver, in memory.
//
//   World world;
//   world.file("/plugins/libx.so", {.needed = {"liby.so"}, .runpath = "$ORIGIN/lib"});
//   Closure closure = world.open("/plugins/libx.so");
#pragma once

#include <elf.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

// Facts worth setting by hand. Views of symbols point at literals.
struct Library {
  std::string soname{};
  std::vector<std::string> needed{};
  std::optional<std::string> rpath{};
  std::optional<std::string> runpath{};
  std::vector<elf::Symbol> imports{};
  std::vector<elf::Symbol> exports{};
  std::vector<elf::VersionNeed> version_needs{};
  std::vector<std::string> version_definitions{};
  std::string base_version{};
  std::optional<bool> versioned_symbols{};  // default: where versions are defined
  std::uint16_t type = ET_DYN;
  std::uint16_t machine = EM_X86_64;
  int bits = 64;
  bool little_endian = true;
  bool pie_executable = false;
  bool no_default_folders = false;
  bool identity_only = false;
};

inline elf::Symbol symbol(std::string_view name, std::string_view version = "", std::uint16_t index = 0,
                          bool hidden = false) {
  elf::Symbol result;
  result.name = name;
  result.version = version;
  result.type = STT_FUNC;
  result.binding = STB_GLOBAL;
  result.version_index = index;
  result.hidden_version = hidden;
  return result;
}

// A reference to a symbol with a version that is needed from a file.
inline elf::Symbol versioned(std::string_view name, std::string_view version, std::string_view file) {
  elf::Symbol result = symbol(name, version, 2);
  result.version_file = file;
  return result;
}

inline elf::Symbol weak(std::string_view name) {
  elf::Symbol result = symbol(name);
  result.binding = STB_WEAK;
  return result;
}

inline SharedFacts facts_of(const Library& library) {
  auto facts = std::make_shared<elf::ElfFacts>();
  facts->bits = library.bits;
  facts->little_endian = library.little_endian;
  facts->machine = library.machine;
  facts->type = library.type;
  facts->soname = library.soname;
  facts->needed = library.needed;
  facts->rpath = library.rpath;
  facts->runpath = library.runpath;
  facts->imports = library.imports;
  facts->exports = library.exports;
  facts->export_index = elf::ExportIndex(facts->exports);
  facts->version_needs = library.version_needs;
  facts->version_definitions = library.version_definitions;
  facts->base_version = library.base_version;
  facts->has_version_definitions = !library.version_definitions.empty() || !library.base_version.empty();
  facts->versioned_symbols = library.versioned_symbols.value_or(facts->has_version_definitions);
  facts->pie_executable = library.pie_executable;
  facts->no_default_folders = library.no_default_folders;
  facts->identity_only = library.identity_only;
  return facts;
}

// ld.so.cache with these entries: file name and path.
inline auto cache_of(std::vector<std::pair<std::string, std::string>> entries) {
  return [entries = std::move(entries)](std::string_view name) -> std::optional<std::string> {
    const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == name; });
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  };
}

class World {
 public:
  Environment environment;

  World& file(const std::string& path, const Library& library) {
    files_.insert_or_assign(path, ReadOutcome(facts_of(library)));
    return *this;
  }
  // Another name of a file: the same facts.
  World& same_file(const std::string& path, const std::string& target) {
    files_.insert_or_assign(path, files_.at(target));
    return *this;
  }
  World& broken(const std::string& path, Reason why) {
    files_.insert_or_assign(path, ReadOutcome(std::move(why)));
    return *this;
  }
  World& passed_over(const std::string& path, const std::string& why) {
    ReadOutcome outcome{SharedFacts()};
    outcome.passed_over = why;
    files_.insert_or_assign(path, std::move(outcome));
    return *this;
  }
  // A file that is in the process already.
  World& loaded(const std::string& path, const Library& library, bool global = false) {
    file(path, library);
    if (global) environment.global.push_back(environment.loaded.size());
    environment.loaded.add(object(path));
    return *this;
  }

  Object object(const std::string& path) const {
    const SharedFacts facts = files_.at(path);
    return {path, facts->soname.empty() ? path.substr(path.rfind('/') + 1) : facts->soname, facts};
  }

  Closure open(const std::string& path) {
    asked_.clear();
    return gather_closure(object(path), environment, [this](const std::string& asked) {
      asked_.push_back(asked);
      const auto found = files_.find(asked);
      return found == files_.end() ? ReadOutcome(SharedFacts()) : found->second;
    });
  }
  std::vector<Missing> missing(const std::string& path) { return resolve(open(path)); }

  // Paths that were looked for by the last open(), in order.
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  std::map<std::string, ReadOutcome> files_;
  std::vector<std::string> asked_;
};

std::vector<std::string> paths_of(const auto& objects) {
  std::vector<std::string> paths;
  for (const auto& object : objects) paths.push_back(object->path);
  return paths;
}

}  // namespace myops::link
