#include <elf.h>

#include "loader/elf/dynamic.h"
#include "loader/elf/elf_facts.h"
#include "loader/elf/faults.h"
#include "loader/elf/header.h"
#include "loader/elf/notes.h"
#include "loader/elf/opening.h"
#include "loader/elf/segments.h"
#include "loader/elf/strings.h"
#include "loader/elf/symbols.h"
#include "loader/elf/window.h"

namespace myops::elf {
namespace {

bool is_x86(std::uint16_t machine) { return machine == EM_X86_64 || machine == EM_386; }

void take_segments(const Segments& segments, ElfFacts& facts) {
  facts.load_alignment = segments.largest_page();
  facts.executable_stack = is_x86(facts.machine);
  for (const Segment& segment : segments.all()) {
    if (segment.type == PT_GNU_STACK) facts.executable_stack = (segment.flags & PF_X) != 0;
  }
}

void take_flags(const Dynamic& dynamic, ElfFacts& facts) {
  const std::uint64_t flags = dynamic.flags(DT_FLAGS);
  const std::uint64_t flags_1 = dynamic.flags(DT_FLAGS_1);
  facts.pie_executable = (flags_1 & DF_1_PIE) != 0;
  facts.no_open = (flags_1 & DF_1_NOOPEN) != 0;
  facts.no_default_folders = (flags_1 & DF_1_NODEFLIB) != 0;
  facts.static_tls = (flags & DF_STATIC_TLS) != 0;
  facts.text_relocations = (flags & DF_TEXTREL) != 0 || dynamic.value(DT_TEXTREL).has_value();
}

Result<void> take_names(Window& window, const Dynamic& dynamic, const Segments& segments, ElfFacts& facts) {
  auto strings = StringReader::open(dynamic, segments);
  if (!strings) return strings.error();
  for (const std::uint64_t offset : dynamic.values(DT_NEEDED)) {
    auto name = strings->read(window, offset, "DT_NEEDED");
    if (!name) return name.error();
    facts.needed.push_back(std::move(*name));
  }
  const auto read = [&](std::int64_t tag, const char* subject) -> Result<std::optional<std::string>> {
    const auto offset = dynamic.value(tag);
    if (!offset) return std::optional<std::string>();
    auto name = strings->read(window, *offset, subject);
    if (!name) return name.error();
    return std::optional(std::move(*name));
  };
  const auto soname = read(DT_SONAME, "DT_SONAME");
  if (!soname) return soname.error();
  facts.soname = soname->value_or("");
  const auto rpath = read(DT_RPATH, "DT_RPATH");
  if (!rpath) return rpath.error();
  facts.rpath = *rpath;
  const auto runpath = read(DT_RUNPATH, "DT_RUNPATH");
  if (!runpath) return runpath.error();
  facts.runpath = *runpath;
  return {};
}

// Everything behind the ELF header.
Result<void> read_rest(Window& window, const Header& header, const DepthChoice& depth_for, ElfFacts& facts) {
  if (auto checked = check_header(header); !checked) return checked;
  const auto segments = Segments::read(window, header);
  if (!segments) return segments.error();
  take_segments(*segments, facts);
  if (auto read = read_notes(window, header, *segments, facts); !read) return read;
  const auto dynamic = Dynamic::read(window, header, *segments);
  if (!dynamic) return dynamic.error();
  if (auto checked = check_dynamic(*dynamic, header); !checked) return checked;
  if (dynamic->present()) {
    take_flags(*dynamic, facts);
    if (auto read = take_names(window, *dynamic, *segments, facts); !read) return read;
  }
  const Depth depth = depth_for(facts);
  facts.identity_only = depth < Depth::kSymbols;
  if (depth == Depth::kIdentity || !dynamic->present()) return {};
  if (depth == Depth::kVersions) return read_version_names(window, header, *segments, *dynamic, facts);
  if (auto read = read_symbols(window, header, *segments, *dynamic, facts); !read) return read;
  return depth == Depth::kOpening ? check_opening(window, header, *segments, *dynamic) : Result<void>();
}

}  // namespace

Result<ElfFacts> parse_elf(const Bytes& bytes, Depth depth) {
  return parse_elf(bytes, [depth](const ElfFacts&) { return depth; });
}

Result<ElfFacts> parse_elf(const Bytes& bytes, const DepthChoice& depth_for) {
  Window window(bytes);
  const auto header = read_header(window);
  if (!header) return header.error();
  ElfFacts facts;
  facts.bits = header->bits;
  facts.little_endian = header->little_endian;
  facts.os_abi = header->os_abi;
  facts.type = header->type;
  facts.machine = header->machine;
  facts.section_headers_cut = header->section_headers_cut;
  if (auto read = read_rest(window, *header, depth_for, facts); !read) {
    if (read.error().code == Code::kTooLarge) {
      facts.gave_up = read.error();
      facts.identity_only = true;
      return facts;
    }
    if (is_native(*header) || read.error().code == Code::kUnreadable) return read.error();
    facts.fault = read.error();
  }
  return facts;
}

Result<bool> names_contain(const Bytes& bytes, std::string_view part) {
  Window window(bytes);
  const auto header = read_header(window);
  if (!header) return header.error();
  if (auto checked = check_header(*header); !checked) return checked.error();
  const auto segments = Segments::read(window, *header);
  if (!segments) return segments.error();
  const auto dynamic = Dynamic::read(window, *header, *segments);
  if (!dynamic) return dynamic.error();
  if (auto checked = check_dynamic(*dynamic, *header); !checked) return checked.error();
  if (!dynamic->present()) return not_a_library("a file without a dynamic segment");
  const auto strings = StringReader::open(*dynamic, *segments);
  if (!strings) return strings.error();
  return strings->contains(window, part);
}

std::optional<Reason> refusal(const ElfFacts& facts) {
  if (facts.type == ET_EXEC) return not_a_library("an executable");
  if (facts.pie_executable) return not_a_library("a position-independent executable");
  if (facts.no_open) return not_a_library("a library marked DF_1_NOOPEN, which cannot be opened at run time");
  if (facts.os_abi != ELFOSABI_SYSV && facts.os_abi != ELFOSABI_GNU) {
    return Reason{Code::kWrongArchitecture, "", "OS ABI 0 (System V) or 3 (GNU)",
                  "OS ABI " + std::to_string(facts.os_abi), ""};
  }
  return std::nullopt;
}

}  // namespace myops::elf
