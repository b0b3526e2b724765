// The dynamic symbol table (gABI, "Symbol Table") with its versions: what the file imports and exports.
#pragma once

#include "loader/elf/dynamic.h"
#include "loader/elf/elf_facts.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// Fills what Depth::kVersions adds. Errors: damaged, too-large, unreadable.
Result<void> read_version_names(Window& window, const Header& header, const Segments& segments, const Dynamic& dynamic,
                                ElfFacts& facts);

// Fills everything of Depth::kSymbols. Errors: damaged (see the headers of the tables), unreadable.
Result<void> read_symbols(Window& window, const Header& header, const Segments& segments, const Dynamic& dynamic,
                          ElfFacts& facts);

}  // namespace myops::elf
