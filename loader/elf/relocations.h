// Which symbols the linker looks up when it relocates the file (gABI, "Relocation").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "loader/elf/dynamic.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

struct RelocationTable {
  const char* name;  // of the tag
  std::uint64_t address;
  std::uint64_t size;
  std::size_t entry_size;
  std::uint64_t relative;  // so many relative relocations, which use no symbol, come first (DT_RELACOUNT, DT_RELCOUNT)
  bool has_addend;
};

// DT_RELA, DT_REL and DT_JMPREL, where the file has them and they are not empty.
std::vector<RelocationTable> relocation_tables(const Dynamic& dynamic, const Decoder& decode);

// Calls `fault_in` with the entries from `first` on, many at a time and each of them whole, until it finds a fault.
// Errors: that; damaged (the table is outside the file), too-large, unreadable.
Result<void> read_relocations(const Window& window, const Segments& segments, const RelocationTable& table,
                              std::uint64_t first,
                              const std::function<std::optional<Reason>(std::span<const std::byte>)>& fault_in);

// Indexes of the symbols that DT_RELA, DT_REL or DT_JMPREL use, ascending, without repetition; the null symbol is none.
// `symbol_limit` is how many symbols the file has room for. Errors: damaged (a table or a symbol outside the file),
// too-large, unreadable.
Result<std::vector<std::uint32_t>> read_used_symbols(const Window& window, const Header& header,
                                                     const Segments& segments, const Dynamic& dynamic,
                                                     std::uint64_t symbol_limit);

}  // namespace myops::elf
