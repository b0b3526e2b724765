// The entries of the dynamic symbol table (gABI, "Symbol Table") and their version indexes, without names.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/symbol.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

inline constexpr const char* kSymbolTable = "symbol table";

// One entry. `symbol` has its type, binding and visibility.
struct SymbolEntry {
  std::uint64_t name = 0;  // offset in the string table
  std::uint64_t value = 0;
  std::uint16_t section = SHN_UNDEF;
  Symbol symbol;
};

// Whether other files see it at all: neither local nor hidden nor internal.
bool is_visible(const Symbol& symbol);
// What glibc's look-up takes for a definition (elf/dl-lookup.c: check_match, do_lookup_x).
bool is_definition(const SymbolEntry& entry);

// The first entries of the tables, in memory.
class SymbolTable {
 public:
  // `count` entries of the table at `symbols`, which has room for them. Errors: too-large, unreadable.
  static Result<SymbolTable> load(const Window& window, const Header& header, const Extent& symbols,
                                  std::uint64_t count);
  // As many version indexes. Errors: damaged (the table has fewer), unreadable.
  Result<void> load_versions(const Window& window, const Extent& versions);

  SymbolEntry entry(std::uint64_t index) const;
  // The raw entry of DT_VERSYM; 0 where there is none.
  std::uint16_t version(std::uint64_t index) const {
    return versions_.empty() ? std::uint16_t{0} : decode_.integer<std::uint16_t>(versions_.data() + index * 2);
  }

 private:
  explicit SymbolTable(const Header& header)
      : decode_(header.decoder()), entry_size_(decode_.size<Elf64_Sym, Elf32_Sym>()) {}

  Decoder decode_;
  std::size_t entry_size_;
  std::vector<std::byte> entries_;
  std::vector<std::byte> versions_;
};

}  // namespace myops::elf
