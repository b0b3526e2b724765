#include "loader/elf/symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "loader/elf/faults.h"
#include "loader/elf/hash_tables.h"
#include "loader/elf/relocations.h"
#include "loader/elf/strings.h"
#include "loader/elf/symbol_table.h"
#include "loader/elf/versions.h"

namespace myops::elf {
namespace {

constexpr std::uint16_t kIndexBits = 0x7fff;
constexpr std::uint16_t kHiddenBit = 0x8000;

// Gives entries their names and versions.
class Namer {
 public:
  Namer(const SymbolTable& table, StringTable& strings, const VersionNames& versions)
      : table_(table), strings_(strings), versions_(versions) {}

  Result<Symbol> import(std::uint64_t index, const SymbolEntry& entry) { return name(index, entry, true); }
  Result<Symbol> definition(std::uint64_t index, const SymbolEntry& entry) { return name(index, entry, false); }

 private:
  Result<Symbol> name(std::uint64_t index, const SymbolEntry& entry, bool import) {
    const auto text = strings_.at(entry.name);
    if (!text) return text.error();
    Symbol symbol = entry.symbol;
    symbol.name = *text;
    const std::uint16_t version = table_.version(index);
    symbol.version_index = version & kIndexBits;
    symbol.hidden_version = !import && (version & kHiddenBit) != 0;
    if (const auto found = versions_.find(symbol.version_index); found != versions_.end()) {
      symbol.version = found->second.name;
      if (import) symbol.version_file = found->second.file;
      if (import) symbol.hidden_version = found->second.hidden;
    }
    return symbol;
  }

  const SymbolTable& table_;
  StringTable& strings_;
  const VersionNames& versions_;
};

// glibc has a table as long as the highest index of a record, and looks without asking.
Result<void> check_versions(const SymbolTable& table, const std::vector<std::uint32_t>& used,
                            const VersionNames& versions) {
  const int highest = versions.empty() ? VER_NDX_GLOBAL : std::max<int>(VER_NDX_GLOBAL, versions.rbegin()->first);
  for (const std::uint32_t index : used) {
    const int version = table.version(index) & kIndexBits;
    if (version > highest) {
      return damaged("DT_VERSYM", fmt::format("versions up to {}", highest),
                     fmt::format("{} of symbol {}", version, index));
    }
  }
  return {};
}

Result<void> collect(const SymbolTable& table, const std::vector<std::uint32_t>& used, const Reachable& reachable,
                     Namer& namer, ElfFacts& facts) {
  facts.imports.reserve(used.size());
  for (const std::uint32_t index : used) {
    const SymbolEntry entry = table.entry(index);
    if (entry.section != SHN_UNDEF || !is_visible(entry.symbol)) continue;
    auto symbol = namer.import(index, entry);
    if (!symbol) return symbol.error();
    facts.imports.push_back(*symbol);
  }
  for (std::uint64_t index = reachable.begin; index < reachable.end; ++index) {
    if (!reachable.contains(index)) continue;
    const SymbolEntry entry = table.entry(index);
    if (!is_definition(entry)) continue;
    auto symbol = namer.definition(index, entry);
    if (!symbol) return symbol.error();
    facts.exports.push_back(*symbol);
  }
  facts.exports.shrink_to_fit();
  return {};
}

}  // namespace

Result<void> read_version_names(Window& window, const Header& header, const Segments& segments, const Dynamic& dynamic,
                                ElfFacts& facts) {
  auto reader = StringReader::open(dynamic, segments);
  if (!reader) return reader.error();
  // Far from the records: a window of its own, so that each reads its block once.
  Window names(window.bytes());
  std::deque<std::string> kept;
  const NameAt name_at = [&](std::uint64_t offset) -> Result<std::string_view> {
    auto name = reader->read(names, offset, "string table");
    if (!name) return name.error();
    return kept.emplace_back(std::move(*name));
  };
  const auto versions = read_versions(window, header, segments, dynamic, name_at, facts);
  if (!versions) return versions.error();
  facts.versions_known = true;
  return {};
}

Result<void> read_symbols(Window& window, const Header& header, const Segments& segments, const Dynamic& dynamic,
                          ElfFacts& facts) {
  const auto symbols = table_at(segments, dynamic.flags(DT_SYMTAB), kSymbolTable);
  if (!symbols) return symbols.error();
  const std::uint64_t limit = symbols->size / header.decoder().size<Elf64_Sym, Elf32_Sym>();
  const auto reachable = read_hash_tables(window, header, segments, dynamic, limit);
  if (!reachable) return reachable.error();
  const auto used = read_used_symbols(window, header, segments, dynamic, limit);
  if (!used) return used.error();
  const std::uint64_t count =
      std::max<std::uint64_t>(reachable->end, used->empty() ? 0 : used->back() + std::uint64_t{1});

  const auto string_extent = StringReader::open(dynamic, segments);
  if (!string_extent) return string_extent.error();
  auto strings = StringTable::load(window, string_extent->extent());
  if (!strings) return strings.error();
  const NameAt name_at = [&](std::uint64_t offset) { return strings->at(offset); };
  const auto versions = read_versions(window, header, segments, dynamic, name_at, facts);
  if (!versions) return versions.error();

  auto table = SymbolTable::load(window, header, *symbols, count);
  if (!table) return table.error();
  if (facts.versioned_symbols) {
    const auto extent = table_at(segments, dynamic.flags(DT_VERSYM), "DT_VERSYM");
    if (!extent) return extent.error();
    if (auto read = table->load_versions(window, *extent); !read) return read.error();
    if (auto checked = check_versions(*table, *used, *versions); !checked) return checked.error();
  }
  facts.strings = strings->buffer();
  Namer namer(*table, *strings, *versions);
  if (auto collected = collect(*table, *used, *reachable, namer, facts); !collected) return collected.error();
  facts.export_index = ExportIndex(facts.exports);
  return {};
}

}  // namespace myops::elf
