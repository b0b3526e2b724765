#include "loader/elf/symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "loader/elf/faults.h"
#include "loader/elf/hash_tables.h"
#include "loader/elf/relocations.h"
#include "loader/elf/strings.h"
#include "loader/elf/versions.h"

namespace myops::elf {
namespace {

constexpr const char* kSymbolTable = "symbol table";
constexpr const char* kVersionTable = "DT_VERSYM";
constexpr std::uint16_t kIndexBits = 0x7fff;
constexpr std::uint16_t kHiddenBit = 0x8000;

// An entry before its names are looked up.
struct Entry {
  std::uint64_t name = 0;
  std::uint64_t value = 0;
  std::uint16_t section = SHN_UNDEF;
  Symbol symbol;
};

bool visible(const Symbol& symbol) {
  return symbol.binding != STB_LOCAL && symbol.visibility != STV_HIDDEN && symbol.visibility != STV_INTERNAL;
}

// What glibc's look-up takes for a definition (elf/dl-lookup.c: check_match, do_lookup_x).
bool is_definition(const Entry& entry) {
  constexpr unsigned kTypes =
      1U << STT_NOTYPE | 1U << STT_OBJECT | 1U << STT_FUNC | 1U << STT_COMMON | 1U << STT_TLS | 1U << STT_GNU_IFUNC;
  const Symbol& symbol = entry.symbol;
  const bool has_value = entry.value != 0 || entry.section == SHN_ABS || symbol.type == STT_TLS;
  const bool binds = symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK || symbol.binding == STB_GNU_UNIQUE;
  return entry.section != SHN_UNDEF && has_value && binds && visible(symbol) && (kTypes >> symbol.type & 1U) != 0;
}

// The parts of the symbol and version tables that are needed, in memory.
class SymbolTable {
 public:
  static Result<SymbolTable> load(const Window& window, const Header& header, const Extent& symbols,
                                  std::uint64_t count);
  Result<void> load_versions(const Window& window, const Extent& versions);

  Entry entry(std::uint64_t index) const;
  std::uint16_t version(std::uint64_t index) const {
    return versions_.empty() ? std::uint16_t{0} : decode_.integer<std::uint16_t>(versions_.data() + index * 2);
  }

 private:
  explicit SymbolTable(const Header& header)
      : decode_(header.decoder()), entry_size_(decode_.size<Elf64_Sym, Elf32_Sym>()) {}

  Decoder decode_;
  std::size_t entry_size_;
  std::vector<std::byte> entries_;
  std::vector<std::byte> versions_;
};

Result<SymbolTable> SymbolTable::load(const Window& window, const Header& header, const Extent& symbols,
                                      std::uint64_t count) {
  SymbolTable table(header);
  table.entries_.resize(static_cast<std::size_t>(count) * table.entry_size_);
  if (auto read = window.copy(symbols.offset, table.entries_); !read) return read.error();
  return table;
}

Result<void> SymbolTable::load_versions(const Window& window, const Extent& versions) {
  const std::size_t size = entries_.size() / entry_size_ * sizeof(std::uint16_t);
  if (size > versions.size) return damaged(kVersionTable, hex(size) + " bytes", hex(versions.size));
  versions_.resize(size);
  return window.copy(versions.offset, versions_);
}

Entry SymbolTable::entry(std::uint64_t index) const {
  const std::byte* at = entries_.data() + index * entry_size_;
  const auto get = [&](auto wide, auto narrow) { return decode_.field(at, wide, narrow); };
  const auto info = static_cast<unsigned char>(get(&Elf64_Sym::st_info, &Elf32_Sym::st_info));
  Entry entry;
  entry.name = get(&Elf64_Sym::st_name, &Elf32_Sym::st_name);
  entry.value = get(&Elf64_Sym::st_value, &Elf32_Sym::st_value);
  entry.section = static_cast<std::uint16_t>(get(&Elf64_Sym::st_shndx, &Elf32_Sym::st_shndx));
  entry.symbol.type = ELF64_ST_TYPE(info);
  entry.symbol.binding = ELF64_ST_BIND(info);
  entry.symbol.visibility =
      static_cast<std::uint8_t>(ELF64_ST_VISIBILITY(get(&Elf64_Sym::st_other, &Elf32_Sym::st_other)));
  return entry;
}

// Gives entries their names and versions.
class Namer {
 public:
  Namer(const SymbolTable& table, StringTable& strings, const VersionNames& versions)
      : table_(table), strings_(strings), versions_(versions) {}

  Result<Symbol> import(std::uint64_t index, const Entry& entry) { return name(index, entry, true); }
  Result<Symbol> definition(std::uint64_t index, const Entry& entry) { return name(index, entry, false); }

 private:
  Result<Symbol> name(std::uint64_t index, const Entry& entry, bool import) {
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

Result<void> collect(const SymbolTable& table, const std::vector<std::uint32_t>& used, const Reachable& reachable,
                     Namer& namer, ElfFacts& facts) {
  facts.imports.reserve(used.size());
  facts.exports.reserve(static_cast<std::size_t>(reachable.end - reachable.begin));
  for (const std::uint32_t index : used) {
    const Entry entry = table.entry(index);
    if (entry.section != SHN_UNDEF || !visible(entry.symbol)) continue;
    auto symbol = namer.import(index, entry);
    if (!symbol) return symbol.error();
    facts.imports.push_back(*symbol);
  }
  for (std::uint64_t index = reachable.begin; index < reachable.end; ++index) {
    if (!reachable.contains(index)) continue;
    const Entry entry = table.entry(index);
    if (!is_definition(entry)) continue;
    auto symbol = namer.definition(index, entry);
    if (!symbol) return symbol.error();
    facts.exports.push_back(*symbol);
  }
  return {};
}

}  // namespace

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
  const auto versions = read_versions(window, header, segments, dynamic, *strings, facts);
  if (!versions) return versions.error();

  auto table = SymbolTable::load(window, header, *symbols, count);
  if (!table) return table.error();
  if (facts.versioned_symbols) {
    const auto extent = table_at(segments, dynamic.flags(DT_VERSYM), kVersionTable);
    if (!extent) return extent.error();
    if (auto read = table->load_versions(window, *extent); !read) return read.error();
  }
  facts.strings.push_back(strings->buffer());
  Namer namer(*table, *strings, *versions);
  if (auto collected = collect(*table, *used, *reachable, namer, facts); !collected) return collected.error();
  facts.export_index = ExportIndex(facts.exports);
  return {};
}

}  // namespace myops::elf
