// Where the dynamic linker looks for one needed file (elf/dl-load.c, _dl_map_object), after none of those loaded
// answered. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

// The folders in which one file's needed files are looked for, in order, without repetition.
struct Places {
  std::vector<std::string> folders;
  std::size_t before_cache = 0;  // how many of them come before ld.so.cache
};

// Folders that a message names; nobody reads more.
inline constexpr std::size_t kMaxFoldersTold = 64;
inline constexpr std::size_t kMaxPassedOver = 4;

// What following one file may cost: files looked for, and elements of search lists read. A DT_NEEDED takes 8 bytes and
// an element of DT_RUNPATH two, and each of the one is looked for in each of the other: without a bound a file of
// 150 KB asks for hundreds of millions of files. Large programs of many folders ask for some hundred thousand.
inline constexpr std::size_t kMaxLooks = std::size_t{1} << 20;

// How a search ended: `facts` (found at `path`), or `fault` (a file at `path` ended it), or `gave_up`, or none of them.
struct SearchResult {
  std::string path;
  SharedFacts facts;
  std::string fault;                       // "PATH: why it cannot be used"
  std::vector<std::string> searched;       // folders looked in, in order, the first kMaxFoldersTold of them
  std::vector<std::string> passed_over{};  // "PATH (why)" of files on the way, the first kMaxPassedOver of them
  bool gave_up = false;                    // kMaxLooks are over: whether the file is there is not known
};

class LibrarySearch {
 public:
  // Both must outlive the search. `wanted` is a file of the right machine and class: others are passed over.
  LibrarySearch(const Environment& environment, const Reader& read, const elf::ElfFacts& wanted)
      : environment_(environment), read_(read), wanted_(wanted) {}

  // For what loaders.front() needs, which was opened because of loaders[1], and so on.
  Places places_of(std::span<const Object* const> loaders);

  // Looks for `name`, needed by `loader`, whose places they are.
  SearchResult find(std::string_view name, const Object& loader, const Places& places);

 private:
  // Each is true where the search has ended.
  bool in_folder(std::string_view name, std::string_view folder, SearchResult& result);
  bool in_cache(std::string_view name, bool default_folders_too, SearchResult& result);
  bool at(std::string path, SearchResult& result);

  std::string expanded(std::string_view text, const Object& owner) const;

  const Environment& environment_;
  const Reader& read_;
  const elf::ElfFacts& wanted_;
  std::size_t left_ = kMaxLooks;
};

}  // namespace myops::link
