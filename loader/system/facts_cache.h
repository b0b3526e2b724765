// ELF facts of files on disk, each read once for each state of the file.
//
// torch's closure is a hundred libraries with a hundred thousand symbols; every candidate is judged against the same
// ones.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/link/closure.h"
#include "loader/reason.h"
#include "loader/system/file_bytes.h"

namespace myops::system {

// May be used from any thread. Identity and versions are kept; symbol tables, which are large, only as long as a caller
// holds them.
class FactsCache {
 public:
  // Facts of this depth, or of more; one pointer for one file, whatever path leads to it. Errors: those of
  // FileBytes::open and parse_elf.
  Result<link::SharedFacts> read(const std::string& path, elf::Depth depth);

 private:
  struct Entry {
    link::SharedFacts identity;
    link::SharedFacts versions;
    std::weak_ptr<const elf::ElfFacts> symbols;
  };
  std::map<FileIdentity, Entry> entries_;
};

// The one of this process.
FactsCache& facts_cache();

}  // namespace myops::system
