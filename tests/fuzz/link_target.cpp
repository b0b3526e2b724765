// Two libraries' bytes: the first is what is opened, the second whatever it needs and is not in the process.
#include <elf.h>

#include <algorithm>
#include <memory>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/link/closure.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {
namespace {

using elf::ElfFacts;
using link::SharedFacts;

// Names of symbols in texts that outlive all facts.
elf::Symbol defined(std::string_view name, std::string_view version) {
  elf::Symbol symbol;
  symbol.name = name;
  symbol.version = version;
  symbol.type = STT_FUNC;
  symbol.binding = STB_GLOBAL;
  symbol.version_index = 2;
  return symbol;
}

// What is in the process: a C library of few functions.
SharedFacts c_library() {
  auto facts = std::make_shared<ElfFacts>();
  facts->bits = 64;
  facts->type = ET_DYN;
  facts->machine = EM_X86_64;
  facts->soname = "libc.so.6";
  facts->has_version_definitions = true;
  facts->versioned_symbols = true;
  facts->version_definitions = {"GLIBC_2.2.5", "GLIBC_2.34"};
  facts->exports = {defined("puts", "GLIBC_2.2.5"), defined("__cxa_finalize", "GLIBC_2.2.5"),
                    defined("malloc", "GLIBC_2.2.5"), defined("__libc_start_main", "GLIBC_2.34")};
  facts->export_index = elf::ExportIndex(facts->exports);
  return facts;
}

SharedFacts facts_of(Input input) {
  const elf::SpanBytes bytes(input);
  const Result<ElfFacts> facts = elf::parse_elf(bytes, elf::Depth::kSymbols);
  if (!facts || elf::refusal(*facts)) return nullptr;
  return std::make_shared<ElfFacts>(*facts);
}

bool is_missing(const link::Closure& closure, const std::string& soname) {
  return std::any_of(closure.missing.begin(), closure.missing.end(),
                     [&](const link::MissingLibrary& library) { return library.soname == soname; });
}

}  // namespace

void read_link(Input input) {
  if (input.size() < 2) return;
  // The last two bytes are the length of the second file.
  const auto byte = [&](std::size_t from_end) { return std::to_integer<std::size_t>(input[input.size() - from_end]); };
  const Input files = input.first(input.size() - 2);
  const std::size_t second_size = std::min(byte(2) + 256 * byte(1), files.size());
  const SharedFacts first = facts_of(files.first(files.size() - second_size));
  const SharedFacts second = facts_of(files.last(second_size));
  if (first == nullptr) return;

  link::Environment environment;
  environment.loaded.add({"/usr/lib/libc.so.6", "libc.so.6", c_library()});
  environment.global = {0};
  environment.library_path = {"/extra"};
  environment.default_folders = {"/usr/lib"};
  environment.hwcaps = {"glibc-hwcaps/x86-64-v3"};
  const link::Reader read = [&](const std::string& path) -> link::ReadOutcome {
    if (path.starts_with("/usr/lib/")) {
      if (second) return second;
      return Reason{Code::kDamaged, path, "", "the second file", ""};
    }
    return SharedFacts();
  };
  const link::Closure closure = link::gather_closure({"/plugins/libfirst.so", first->soname, first}, environment, read);
  const std::vector<link::Missing> missing = link::resolve(closure);
  for (const link::Missing& part : missing) {
    require(!part.needed_by.empty(), "what is missing is needed by a file");
    if (part.kind == link::MissingKind::kLibrary) {
      // With `found` there is a file, and the linker refuses it or ends the process.
      require(!part.found.empty() || is_missing(closure, part.name), "a library that is missing was not found");
    }
  }
  if (!closure.missing.empty()) require(!missing.empty(), "what was not found is told");
}

}  // namespace myops::fuzz
