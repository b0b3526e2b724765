// Notes (gABI, "Note Section"): build-id, GNU properties, and the manifest of myops.
#pragma once

#include "loader/elf/elf_facts.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// Fills build_id, isa_needed, manifest, manifest_capacity and manifest_offset. A note that contradicts itself ends the
// reading of its segment and is no error: the dynamic linker passes over it too. The first of each kind counts. Error:
// unreadable.
Result<void> read_notes(Window& window, const Header& header, const Segments& segments, ElfFacts& facts);

}  // namespace myops::elf
