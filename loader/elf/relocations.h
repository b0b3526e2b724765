// Which symbols the linker looks up when it relocates the file (gABI, "Relocation").
#pragma once

#include <cstdint>
#include <vector>

#include "loader/elf/dynamic.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// Indexes of the symbols that DT_RELA, DT_REL or DT_JMPREL use, ascending, without repetition; the null symbol is none.
// `symbol_limit` is how many symbols the file has room for. Errors: damaged (a table or a symbol outside the file),
// too-large, unreadable.
Result<std::vector<std::uint32_t>> read_used_symbols(const Window& window, const Header& header,
                                                     const Segments& segments, const Dynamic& dynamic,
                                                     std::uint64_t symbol_limit);

}  // namespace myops::elf
