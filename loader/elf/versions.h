// Symbol versions (LSB, "Symbol Versioning"): what the file needs of others, what it defines, and which version a
// symbol has.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "loader/elf/dynamic.h"
#include "loader/elf/elf_facts.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/strings.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// What an index of DT_VERSYM stands for. The views are those of `name_at`.
struct VersionName {
  std::string_view name;
  std::string_view file;  // needed versions: the SONAME they come from
  bool hidden = false;    // needed versions: bit 15 of vna_other
};

using VersionNames = std::map<std::uint16_t, VersionName>;

// `name_at` keeps what it gives for as long as the answer is used.
//
// Reads DT_VERNEED and DT_VERDEF; fills version_needs, base_version, version_definitions, has_version_definitions and
// versioned_symbols. Errors: damaged (a record outside its segment, of an unknown version, or more records than indexes
// can tell apart), unreadable.
Result<VersionNames> read_versions(Window& window, const Header& header, const Segments& segments,
                                   const Dynamic& dynamic, const NameAt& name_at, ElfFacts& facts);

}  // namespace myops::elf
