// One entry of the dynamic symbol table. Pure values.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string_view>

namespace myops::elf {

// The views point into ElfFacts::strings.
struct Symbol {
  std::string_view name;
  std::string_view version;       // "" where unversioned
  std::string_view version_file;  // imports: the SONAME that the version is needed from (vn_file); "" otherwise
  std::uint8_t type = 0;          // STT_*
  std::uint8_t binding = 0;       // STB_*
  std::uint8_t visibility = 0;    // STV_*
  bool hidden_version = false;    // exports: VERSYM_HIDDEN, i.e. name@VER and not name@@VER
  std::uint16_t version_index =
      0;  // DT_VERSYM without the hidden bit: 0 local, 1 global or base, 2 the first version, …

  bool weak() const { return binding == STB_WEAK; }
};

}  // namespace myops::elf
