// What a library in this process says of itself in its own memory, whatever has become of its file.
//
// The dynamic linker has checked and walked the same tables. It must keep the library meanwhile: ask in the callback of
// dl_iterate_phdr() only.
#pragma once

#include <link.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "loader/elf/elf_facts.h"

namespace myops::system {

class MemoryImage {
 public:
  explicit MemoryImage(const dl_phdr_info& info)
      : headers_(info.dlpi_phdr, info.dlpi_phnum), base_(static_cast<std::uintptr_t>(info.dlpi_addr)) {}

  std::string soname() const;    // DT_SONAME, "" where it has none
  std::string build_id() const;  // hex, "" where it has none
  std::uintptr_t start() const;  // of its first segment, 0 where it has none
  // Whether `part` stands in its string table: in the name of a symbol, a version or a library.
  bool names_contain(std::string_view part) const;
  // As much as Depth::kVersions has of what others may need of it: the SONAME and the versions that it defines.
  elf::ElfFacts versions() const;

 private:
  std::optional<ElfW(Xword)> dynamic(ElfW(Sxword) tag) const;
  // Where a table of the dynamic segment is.
  const char* table(ElfW(Sxword) tag) const;

  std::span<const ElfW(Phdr)> headers_;
  std::uintptr_t base_;
};

}  // namespace myops::system
