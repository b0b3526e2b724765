// What an ELF file says of itself: the facts that the dynamic linker and the rules decide on.
//
// Pure: bytes in, facts out. No torch, no dlfcn.h, no filesystem, no environment. Every byte is taken as hostile:
// a reader never trusts a size, an offset or a count it has not compared with the file. Only the program headers and
// the dynamic segment are used, as the dynamic linker does; section headers may be stripped.
//
//   elf::SpanBytes bytes(content);
//   Result<elf::ElfFacts> facts = elf::parse_elf(bytes, elf::Depth::kIdentity);
//   if (facts && !elf::refusal(*facts)) …
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/elf/bytes.h"
#include "loader/elf/export_index.h"
#include "loader/elf/symbol.h"
#include "loader/reason.h"

namespace myops::elf {

// One version that the file needs from another (DT_VERNEED).
struct VersionNeed {
  std::string file;     // SONAME it is needed from
  std::string version;  // e.g. "GLIBCXX_3.4.30"
  bool weak = false;    // VER_FLG_WEAK: its absence is only a warning
};

struct ElfFacts {
  // Identity (Depth::kIdentity).
  int bits = 0;  // 32 or 64
  bool little_endian = true;
  std::uint8_t os_abi = 0;
  std::uint16_t type = 0;     // ET_*
  std::uint16_t machine = 0;  // EM_*
  std::string soname;
  std::vector<std::string> needed;      // DT_NEEDED in file order
  std::optional<std::string> rpath;     // DT_RPATH
  std::optional<std::string> runpath;   // DT_RUNPATH; where it is present the linker ignores rpath
  std::string build_id;                 // lower-case hex, "" where absent
  std::optional<std::string> manifest;  // .note.myops descriptor up to the first NUL; "" = reserved, never stamped
  std::uint64_t manifest_capacity = 0;  // bytes reserved for it (no more than the file has there)
  std::uint64_t manifest_offset = 0;    // file offset of the descriptor, for the stamp
  std::uint32_t isa_needed = 0;         // GNU_PROPERTY_X86_ISA_1_NEEDED bits; 0 where absent
  bool pie_executable = false;          // DF_1_PIE: dlopen refuses it
  bool no_open = false;                 // DF_1_NOOPEN: dlopen refuses it
  bool no_default_folders = false;      // DF_1_NODEFLIB: its needed files are not looked for in the default folders
  bool static_tls = false;              // DF_STATIC_TLS
  bool text_relocations = false;        // DT_TEXTREL / DF_TEXTREL
  bool executable_stack = false;        // PT_GNU_STACK with PF_X, or none at all on x86, where that means the same
  // The largest page size that its segments can be mapped with: on a machine with larger ones dlopen refuses it.
  std::uint64_t load_alignment = 0;

  // Where the section headers lie beyond the end. The dynamic linker does not read them, so that the file loads; but it
  // is no complete copy.
  std::optional<Reason> section_headers_cut;

  // A table that is larger than this reader takes (too-large): nothing was read from there on, and
  // its symbols are not known, as in Depth::kIdentity.
  std::optional<Reason> gave_up;

  // Only in a file of another machine, class or byte order: why the rest of it could not be read.
  std::optional<Reason> fault;

  // Versions (Depth::kVersions).
  bool has_version_definitions = false;  // DT_VERDEF present, even if only with the base version
  std::string base_version;  // name of the base version: usually the SONAME; it satisfies a need, but no symbol
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_definitions;  // without the base version

  // Symbols (Depth::kSymbols).
  std::shared_ptr<const std::string> strings;  // the string table; views of the symbols point into it
  bool identity_only = false;                  // the rest of this structure was not asked for
  bool versions_known = false;                 // … but the versions were
  // Undefined symbols that a relocation uses, i.e. that the linker will look up; in file order.
  std::vector<Symbol> imports;
  std::vector<Symbol> exports;     // what a look-up can find: defined, not local, not hidden, reached by the hash table
  ExportIndex export_index;        // over `exports`; empty in facts made by hand
  bool versioned_symbols = false;  // has version indexes (DT_VERSYM) that the linker uses
};

// kIdentity costs microseconds and less than 64 KiB of reads for an ordinary plugin; kVersions reads the version
// records and their names besides; kSymbols the whole string table, and the symbol, hash and relocation tables too;
// kOpening looks besides at what the linker does with the file and calls in it, as is due to one that may be opened.
enum class Depth { kIdentity, kVersions, kSymbols, kOpening };

// How deep to read a file of this identity. It is asked once, before a fault in the tables behind can hide the
// identity; the reader holds no view of the bytes meanwhile.
using DepthChoice = std::function<Depth(const ElfFacts& identity)>;

// Reads the facts.
//
// Errors: not-a-library (no ELF file, an object file, a core dump), truncated, damaged (the dynamic linker would refuse
// it or crash on it, or its tables contradict the file), unreadable. `subject` names the header or table at fault.
// A table beyond kMaxTableBytes (faults.h) is no error: nothing is proven by it, see `gave_up`.
// Executables are no error, because the running one is part of the scope that symbols are searched in: see refusal().
// Nor is a file of another machine, class or byte order than this reader was built for: what could be read is returned,
// what stopped it is in `fault`; judge() says wrong-architecture.
Result<ElfFacts> parse_elf(const Bytes& bytes, const DepthChoice& depth_for);
Result<ElfFacts> parse_elf(const Bytes& bytes, Depth depth);

// Whether `part` stands in the string table: in the name of a symbol, a version or a library. Reads as far as the first
// place of it. Errors: as above, too-large, and not-a-library for a file without a dynamic segment.
Result<bool> names_contain(const Bytes& bytes, std::string_view part);

// Why dlopen refuses a file that was read without error: an executable (ET_EXEC, DF_1_PIE), DF_1_NOOPEN
// (not-a-library), or an OS ABI other than System V and GNU (wrong-architecture).
std::optional<Reason> refusal(const ElfFacts& facts);

// "x86_64", "aarch64", "i386", …, or "machine 0x1234"; with ", 32-bit" or ", big-endian" where that is not what the
// name implies.
std::string machine_name(std::uint16_t machine, int bits, bool little_endian);

// "x86-64-v3" for GNU_PROPERTY_X86_ISA_1_V3 and so on; the highest bit wins; "" for none or baseline only.
std::string_view isa_level_name(std::uint32_t isa_bits);

}  // namespace myops::elf
