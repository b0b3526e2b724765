#include "loader/link/search.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "loader/link/tokens.h"

namespace myops::link {
namespace {

bool is_executable(const elf::ElfFacts& facts) { return facts.type == ET_EXEC || facts.pie_executable; }

std::string joined(std::string_view folder, std::string_view name) {
  std::string path(folder);
  // An empty element means the working directory.
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path += name;
}

bool lies_in(std::string_view path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
  });
}

}  // namespace

// DT_RPATH is inherited: the object's own, its loader's, and so on, and at last the executable's. An object that also
// has DT_RUNPATH has no DT_RPATH for glibc (elf/get-dynamic-info.h). LD_LIBRARY_PATH belongs to the executable: its
// tokens are those of that.
Places LibrarySearch::places_of(std::span<const Object* const> loaders) {
  Places places;
  std::unordered_set<std::string> known;
  const Object nobody;
  const Object& program = environment_.loaded.empty() ? nobody : environment_.loaded.front();
  const auto add = [&](std::string_view element, const Object& owner) {
    if (left_ == 0) return;
    --left_;
    std::string folder = expanded(element, owner);
    if (folder.empty() && !element.empty()) return;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (known.insert(folder).second) places.folders.push_back(std::move(folder));
  };
  const auto add_list = [&](std::string_view list, const Object& owner) {
    for (std::size_t start = 0; !list.empty() && start <= list.size();) {
      const std::size_t end = std::min(list.find(':', start), list.size());
      add(list.substr(start, end - start), owner);
      start = end + 1;
    }
  };
  const auto add_rpath = [&](const Object& owner) {
    if (owner.facts && owner.facts->rpath && !owner.facts->runpath) add_list(*owner.facts->rpath, owner);
  };
  const elf::ElfFacts& facts = *loaders.front()->facts;
  if (!facts.runpath) {
    for (const Object* owner : loaders) add_rpath(*owner);
    if (program.facts && is_executable(*program.facts)) add_rpath(program);
  }
  for (const std::string& element : environment_.library_path) add(element, program);
  if (facts.runpath) add_list(*facts.runpath, *loaders.front());
  places.before_cache = places.folders.size();
  if (facts.no_default_folders) return places;
  for (const std::string& folder : environment_.default_folders) {
    if (known.insert(folder).second) places.folders.push_back(folder);
  }
  return places;
}

SearchResult LibrarySearch::find(std::string_view name, const Object& loader, const Places& places) {
  SearchResult result;
  const std::string file = expanded(name, loader);
  if (file.empty()) return result;
  if (file.find('/') != std::string::npos) {
    result.searched.emplace_back(folder_of(file));
    at(file, result);
    return result;
  }
  const auto all = std::span(places.folders);
  const auto found_in = [&](std::span<const std::string> folders) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return in_folder(file, folder, result); });
  };
  if (found_in(all.first(places.before_cache))) return result;
  if (in_cache(file, !loader.facts->no_default_folders, result)) return result;
  found_in(all.subspan(places.before_cache));
  return result;
}

bool LibrarySearch::in_folder(std::string_view name, std::string_view folder, SearchResult& result) {
  if (result.searched.size() < kMaxFoldersTold) result.searched.emplace_back(folder);
  for (const std::string& hwcaps : environment_.hwcaps) {
    if (at(joined(joined(folder, hwcaps), name), result)) return true;
  }
  return at(joined(folder, name), result);
}

bool LibrarySearch::in_cache(std::string_view name, bool default_folders_too, SearchResult& result) {
  std::optional<std::string> found = environment_.cache(name);
  if (!found) return false;
  if (!default_folders_too && lies_in(*found, environment_.default_folders)) return false;
  return at(std::move(*found), result);
}

bool LibrarySearch::at(std::string path, SearchResult& result) {
  if (left_ == 0) return result.gave_up = true;
  --left_;
  ReadOutcome outcome = read_(path);
  if (outcome.facts && (outcome.facts->bits != wanted_.bits || outcome.facts->machine != wanted_.machine)) {
    const elf::ElfFacts& other = *outcome.facts;
    outcome.passed_over = "for " + elf::machine_name(other.machine, other.bits, other.little_endian);
    outcome.facts = nullptr;
  }
  if (!outcome.passed_over.empty() && result.passed_over.size() < kMaxPassedOver) {
    result.passed_over.push_back(path + " (" + outcome.passed_over + ")");
  }
  if (outcome.facts) {
    outcome.fault = elf::refusal(*outcome.facts);
    if (outcome.facts->little_endian != wanted_.little_endian) {
      // Class and machine let the dynamic linker look on; this one ends its search.
      outcome.fault =
          Reason{Code::kWrongArchitecture, "byte order", wanted_.little_endian ? "little-endian" : "big-endian",
                 outcome.facts->little_endian ? "little-endian" : "big-endian", "install the build for this machine"};
    }
  }
  if (!outcome.facts && !outcome.fault) return false;
  if (outcome.fault) result.fault = path + ": " + to_text(*outcome.fault);
  if (!outcome.fault) result.facts = std::move(outcome.facts);
  result.path = std::move(path);
  return true;
}

std::string LibrarySearch::expanded(std::string_view text, const Object& owner) const {
  std::string_view lib;
  if (!environment_.default_folders.empty()) lib = environment_.default_folders.front();
  while (lib.starts_with('/')) lib.remove_prefix(1);
  return expand_tokens(text, {owner.path.empty() ? "" : folder_of(owner.path), lib, environment_.platform});
}

}  // namespace myops::link
