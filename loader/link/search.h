// Where the dynamic linker looks for one needed file (elf/dl-load.c, _dl_map_object), after none of those loaded
// answered. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

// How a search ended: `facts` (found at `path`), or `fault` (a file at `path` ended it), or neither.
struct SearchResult {
  std::string path;
  SharedFacts facts;
  std::string fault;                  // "PATH: why it cannot be used"
  std::vector<std::string> searched;  // folders looked in, in order, without repetition
};

class LibrarySearch {
 public:
  // Both must outlive the search. `wanted` is a file of the right machine and class: others are passed over.
  LibrarySearch(const Environment& environment, const Reader& read, const elf::ElfFacts& wanted)
      : environment_(environment), read_(read), wanted_(wanted) {}

  // Looks for `name`, needed by loaders.front(), which was opened because of loaders[1], and so on.
  SearchResult find(std::string_view name, std::span<const Object* const> loaders) const;

 private:
  // The parts of a search, in order. Each is true where the search has ended.
  bool in_rpaths(std::string_view name, std::span<const Object* const> loaders, SearchResult& result) const;
  bool in_library_path(std::string_view name, SearchResult& result) const;
  bool in_list(std::string_view name, std::string_view folders, const Object& owner, SearchResult& result) const;
  bool in_folder(std::string_view name, std::string_view folder, SearchResult& result) const;
  bool in_cache(std::string_view name, bool default_folders_too, SearchResult& result) const;
  bool at(std::string path, SearchResult& result) const;

  std::string expanded(std::string_view text, const Object& owner) const;

  const Environment& environment_;
  const Reader& read_;
  const elf::ElfFacts& wanted_;
};

}  // namespace myops::link
