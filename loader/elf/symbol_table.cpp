#include "loader/elf/symbol_table.h"

#include "loader/elf/faults.h"

namespace myops::elf {

bool is_visible(const Symbol& symbol) {
  return symbol.binding != STB_LOCAL && symbol.visibility != STV_HIDDEN && symbol.visibility != STV_INTERNAL;
}

bool is_definition(const SymbolEntry& entry) {
  constexpr unsigned kTypes =
      1U << STT_NOTYPE | 1U << STT_OBJECT | 1U << STT_FUNC | 1U << STT_COMMON | 1U << STT_TLS | 1U << STT_GNU_IFUNC;
  const Symbol& symbol = entry.symbol;
  const bool has_value = entry.value != 0 || entry.section == SHN_ABS || symbol.type == STT_TLS;
  const bool binds = symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK || symbol.binding == STB_GNU_UNIQUE;
  return entry.section != SHN_UNDEF && has_value && binds && is_visible(symbol) && (kTypes >> symbol.type & 1U) != 0;
}

Result<SymbolTable> SymbolTable::load(const Window& window, const Header& header, const Extent& symbols,
                                      std::uint64_t count) {
  SymbolTable table(header);
  if (count > kMaxTableBytes / table.entry_size_) return too_large(kSymbolTable, count * table.entry_size_);
  table.entries_.resize(static_cast<std::size_t>(count) * table.entry_size_);
  if (auto read = window.copy(symbols.offset, table.entries_); !read) return read.error();
  return table;
}

Result<void> SymbolTable::load_versions(const Window& window, const Extent& versions) {
  const std::size_t size = entries_.size() / entry_size_ * sizeof(std::uint16_t);
  if (size > versions.size) return damaged("DT_VERSYM", hex(size) + " bytes", hex(versions.size));
  versions_.resize(size);
  return window.copy(versions.offset, versions_);
}

SymbolEntry SymbolTable::entry(std::uint64_t index) const {
  const std::byte* at = entries_.data() + index * entry_size_;
  const auto get = [&](auto wide, auto narrow) { return decode_.field(at, wide, narrow); };
  const auto info = static_cast<unsigned char>(get(&Elf64_Sym::st_info, &Elf32_Sym::st_info));
  SymbolEntry entry;
  entry.name = get(&Elf64_Sym::st_name, &Elf32_Sym::st_name);
  entry.value = get(&Elf64_Sym::st_value, &Elf32_Sym::st_value);
  entry.section = static_cast<std::uint16_t>(get(&Elf64_Sym::st_shndx, &Elf32_Sym::st_shndx));
  entry.symbol.type = ELF64_ST_TYPE(info);
  entry.symbol.binding = ELF64_ST_BIND(info);
  entry.symbol.visibility =
      static_cast<std::uint8_t>(ELF64_ST_VISIBILITY(get(&Elf64_Sym::st_other, &Elf32_Sym::st_other)));
  return entry;
}

}  // namespace myops::elf
