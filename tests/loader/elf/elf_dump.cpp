// elf_dump FILE…: the facts of each file as one line of JSON, for tests/python/test_elf_oracle.py to compare with
// other readers.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "loader/elf/elf_facts.h"
#include "tests/loader/elf/stream_bytes.h"

namespace {

using myops::elf::ElfFacts;
using myops::elf::Symbol;
using nlohmann::ordered_json;

template <class T>
ordered_json optional_text(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json symbol_json(const Symbol& symbol) {
  return {std::string(symbol.name),
          std::string(symbol.version),
          std::string(symbol.version_file),
          symbol.type,
          symbol.binding,
          symbol.visibility,
          symbol.hidden_version,
          symbol.version_index};
}

ordered_json facts_json(const ElfFacts& facts) {
  ordered_json json = {{"bits", facts.bits},
                       {"little_endian", facts.little_endian},
                       {"os_abi", facts.os_abi},
                       {"type", facts.type},
                       {"machine", facts.machine},
                       {"soname", facts.soname},
                       {"needed", facts.needed},
                       {"rpath", optional_text(facts.rpath)},
                       {"runpath", optional_text(facts.runpath)},
                       {"build_id", facts.build_id},
                       {"manifest", optional_text(facts.manifest)},
                       {"isa_needed", facts.isa_needed},
                       {"pie_executable", facts.pie_executable},
                       {"no_open", facts.no_open},
                       {"no_default_folders", facts.no_default_folders},
                       {"static_tls", facts.static_tls},
                       {"text_relocations", facts.text_relocations},
                       {"executable_stack", facts.executable_stack},
                       {"load_alignment", facts.load_alignment},
                       {"section_headers_cut", facts.section_headers_cut.has_value()},
                       {"base_version", facts.base_version},
                       {"version_definitions", facts.version_definitions}};
  ordered_json& needs = json["version_needs"] = ordered_json::array();
  for (const auto& need : facts.version_needs) needs.push_back({need.file, need.version, need.weak});
  ordered_json& imports = json["imports"] = ordered_json::array();
  for (const Symbol& symbol : facts.imports) imports.push_back(symbol_json(symbol));
  ordered_json& exports = json["exports"] = ordered_json::array();
  for (const Symbol& symbol : facts.exports) exports.push_back(symbol_json(symbol));
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const myops::elf::StreamBytes bytes(argv[i]);
    if (!bytes.is_open()) {
      std::cerr << argv[i] << ": cannot be opened\n";
      return 1;
    }
    const auto facts = myops::elf::parse_elf(bytes, myops::elf::Depth::kOpening);
    const ordered_json json = facts ? facts_json(*facts) : ordered_json{{"error", to_text(facts.error())}};
    std::cout << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
  }
  return 0;
}
