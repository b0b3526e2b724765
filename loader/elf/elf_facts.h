// What an ELF file says of itself: the facts that the dynamic linker and the rules decide on.
//
// Pure: bytes in, facts out. No torch, no dlfcn.h, no filesystem, no environment. Every byte is taken as hostile:
// a reader never trusts a size, an offset or a count it has not compared with the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/elf/bytes.h"
#include "loader/reason.h"

namespace myops::elf {

// One entry of .dynsym that is not local. The views point into ElfFacts::strings.
struct Symbol {
  std::string_view name;
  std::string_view version;       // "" where unversioned
  std::string_view version_file;  // imports: the SONAME that the version is needed from (vn_file); "" otherwise
  std::uint8_t type = 0;          // STT_*
  std::uint8_t binding = 0;       // STB_*
  std::uint8_t visibility = 0;    // STV_*
  bool hidden_version = false;    // exports: VERSYM_HIDDEN, i.e. name@VER and not name@@VER

  bool weak() const;
};

struct VersionNeed {
  std::string file;     // SONAME it is needed from
  std::string version;  // e.g. "GLIBCXX_3.4.30"
  bool weak = false;    // VER_FLG_WEAK: its absence is only a warning
};

struct ElfFacts {
  // identity (Depth::kIdentity)
  int bits = 0;  // 32 or 64
  bool little_endian = true;
  std::uint8_t os_abi = 0;
  std::uint16_t type = 0;     // ET_*
  std::uint16_t machine = 0;  // EM_*
  std::string soname;
  std::vector<std::string> needed;        // DT_NEEDED in file order
  std::optional<std::string> rpath;       // DT_RPATH
  std::optional<std::string> runpath;     // DT_RUNPATH; where it is present the linker ignores rpath
  std::string build_id;                   // lower-case hex, "" where absent
  std::optional<std::string> manifest;    // content of the .note.myops descriptor up to the first NUL; "" = reserved, never stamped
  std::uint64_t manifest_capacity = 0;    // bytes reserved for it
  std::uint64_t manifest_offset = 0;      // file offset of the descriptor, for the stamp
  std::uint32_t isa_needed = 0;           // GNU_PROPERTY_X86_ISA_1_NEEDED bits; 0 where absent
  bool pie_executable = false;            // DF_1_PIE: dlopen refuses it
  bool no_open = false;                   // DF_1_NOOPEN: dlopen refuses it
  bool static_tls = false;                // DF_STATIC_TLS
  bool text_relocations = false;          // DT_TEXTREL / DF_TEXTREL
  bool executable_stack = false;          // PT_GNU_STACK with PF_X
  bool bind_now = false;
  std::uint64_t load_alignment = 0;       // the largest p_align of PT_LOAD

  // symbols (Depth::kSymbols)
  std::vector<Symbol> imports;            // undefined symbols that need an answer (a relocation uses them or binding is global)
  std::vector<Symbol> exports;            // defined, global, weak or unique; not hidden
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_definitions;  // without the base version
  std::vector<std::shared_ptr<const std::string>> strings;  // what the views point into
};

enum class Depth { kIdentity, kSymbols };

// Reads the facts. Errors: not-a-library (first bytes, type), truncated, damaged, unreadable. A file of another machine, class or byte order is *not* an
// error here: its identity facts (bits, little_endian, machine) are returned, the rest as far as it can be read; judge() says wrong-architecture.
Result<ElfFacts> parse_elf(const Bytes& bytes, Depth depth);

// "x86_64", "aarch64", "i386", …, or "machine 0x1234".
std::string machine_name(std::uint16_t machine, int bits, bool little_endian);

// "x86-64-v3" for GNU_PROPERTY_X86_ISA_1_V3 and so on; the highest bit wins; "" for none or baseline only.
std::string_view isa_level_name(std::uint32_t isa_bits);

}  // namespace myops::elf
