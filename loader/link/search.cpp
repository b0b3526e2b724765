#include "loader/link/search.h"

#include <elf.h>

#include <algorithm>
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

SearchResult LibrarySearch::find(std::string_view name, std::span<const Object* const> loaders) const {
  SearchResult result;
  const Object& loader = *loaders.front();
  const std::string file = expanded(name, loader);
  if (file.empty()) return result;
  if (file.find('/') != std::string::npos) {
    result.searched.emplace_back(folder_of(file));
    at(file, result);
    return result;
  }
  const elf::ElfFacts& facts = *loader.facts;
  if (!facts.runpath && in_rpaths(file, loaders, result)) return result;
  if (in_library_path(file, result)) return result;
  if (facts.runpath && in_list(file, *facts.runpath, loader, result)) return result;
  if (in_cache(file, !facts.no_default_folders, result)) return result;
  if (facts.no_default_folders) return result;
  for (const std::string& folder : environment_.default_folders) {
    if (in_folder(file, folder, result)) return result;
  }
  return result;
}

// DT_RPATH is inherited: the object's own, its loader's, and so on, and at last the executable's. An object that also
// has DT_RUNPATH has no DT_RPATH for glibc (elf/get-dynamic-info.h).
bool LibrarySearch::in_rpaths(std::string_view name, std::span<const Object* const> loaders,
                              SearchResult& result) const {
  const auto try_object = [&](const Object& owner) {
    return owner.facts && owner.facts->rpath && !owner.facts->runpath &&
           in_list(name, *owner.facts->rpath, owner, result);
  };
  if (std::any_of(loaders.begin(), loaders.end(), [&](const Object* owner) { return try_object(*owner); })) return true;
  if (environment_.loaded.empty()) return false;
  const Object& first = environment_.loaded.front();
  return first.facts && is_executable(*first.facts) && try_object(first);
}

// LD_LIBRARY_PATH belongs to the executable: its tokens are those of that.
bool LibrarySearch::in_library_path(std::string_view name, SearchResult& result) const {
  const Object nobody;
  const Object& owner = environment_.loaded.empty() ? nobody : environment_.loaded.front();
  return std::any_of(environment_.library_path.begin(), environment_.library_path.end(),
                     [&](const std::string& element) {
                       const std::string folder = expanded(element, owner);
                       return (element.empty() || !folder.empty()) && in_folder(name, folder, result);
                     });
}

bool LibrarySearch::in_list(std::string_view name, std::string_view folders, const Object& owner,
                            SearchResult& result) const {
  if (folders.empty()) return false;
  for (;;) {
    const std::size_t end = folders.find(':');
    const std::string_view element = folders.substr(0, end);
    const std::string folder = expanded(element, owner);
    if ((element.empty() || !folder.empty()) && in_folder(name, folder, result)) return true;
    if (end == std::string_view::npos) return false;
    folders.remove_prefix(end + 1);
  }
}

bool LibrarySearch::in_folder(std::string_view name, std::string_view folder, SearchResult& result) const {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  // One that was looked in before has no file of that name.
  if (std::find(result.searched.begin(), result.searched.end(), folder) != result.searched.end()) return false;
  result.searched.emplace_back(folder);
  for (const std::string& hwcaps : environment_.hwcaps) {
    if (at(joined(joined(folder, hwcaps), name), result)) return true;
  }
  return at(joined(folder, name), result);
}

bool LibrarySearch::in_cache(std::string_view name, bool default_folders_too, SearchResult& result) const {
  const auto found = std::find_if(environment_.cache.begin(), environment_.cache.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (found == environment_.cache.end()) return false;
  if (!default_folders_too && lies_in(found->second, environment_.default_folders)) return false;
  return at(found->second, result);
}

bool LibrarySearch::at(std::string path, SearchResult& result) const {
  ReadOutcome outcome = read_(path);
  if (outcome.facts) {
    if (outcome.facts->bits != wanted_.bits || outcome.facts->machine != wanted_.machine) return false;
    outcome.fault = elf::refusal(*outcome.facts);
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
