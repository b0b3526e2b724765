#include "loader/elf/relocations.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "loader/elf/faults.h"
#include "loader/elf/symbol_table.h"

namespace myops::elf {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

class Marker {
 public:
  Marker(const Decoder& decode, std::uint64_t symbol_limit) : decode_(decode), limit_(symbol_limit) {}

  // False where the relocation uses a symbol that is not among the first `symbol_limit`; symbol() tells which.
  bool mark(const std::byte* at) {
    const std::uint64_t info = decode_.field(at, &Elf64_Rel::r_info, &Elf32_Rel::r_info);
    symbol_ = decode_.wide() ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
    const std::uint64_t type = decode_.wide() ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info);
    // Type 0 is the relocation that does nothing, on every machine.
    if (symbol_ == STN_UNDEF || type == 0) return true;
    if (symbol_ >= limit_) return false;
    if (symbol_ >= used_.size()) used_.resize(static_cast<std::size_t>(std::min(limit_, symbol_ * 2 + 64)));
    used_[static_cast<std::size_t>(symbol_)] = true;
    return true;
  }

  std::uint64_t symbol() const { return symbol_; }
  std::uint64_t symbol_size() const { return decode_.size<Elf64_Sym, Elf32_Sym>(); }

  std::vector<std::uint32_t> used() const {
    std::vector<std::uint32_t> indexes;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) indexes.push_back(static_cast<std::uint32_t>(i));
    }
    return indexes;
  }

 private:
  const Decoder& decode_;
  std::uint64_t limit_;
  std::uint64_t symbol_ = 0;
  std::vector<bool> used_;
};

}  // namespace

std::vector<RelocationTable> relocation_tables(const Dynamic& dynamic, const Decoder& decode) {
  std::vector<RelocationTable> tables;
  const std::size_t rela = decode.size<Elf64_Rela, Elf32_Rela>();
  const std::size_t rel = decode.size<Elf64_Rel, Elf32_Rel>();
  const auto add = [&](const char* name, std::int64_t tag, std::int64_t size_tag, std::uint64_t relative,
                       bool has_addend) {
    const auto address = dynamic.value(tag);
    const std::uint64_t size = dynamic.flags(size_tag);
    if (address && size != 0) tables.push_back({name, *address, size, has_addend ? rela : rel, relative, has_addend});
  };
  add("DT_RELA", DT_RELA, DT_RELASZ, dynamic.flags(DT_RELACOUNT), true);
  add("DT_REL", DT_REL, DT_RELSZ, dynamic.flags(DT_RELCOUNT), false);
  add("DT_JMPREL", DT_JMPREL, DT_PLTRELSZ, 0, dynamic.flags(DT_PLTREL) != DT_REL);
  return tables;
}

Result<void> read_relocations(const Window& window, const Segments& segments, const RelocationTable& table,
                              std::uint64_t first,
                              const std::function<std::optional<Reason>(std::span<const std::byte>)>& fault_in) {
  const std::uint64_t count = table.size / table.entry_size;
  if (first >= count) return {};
  const auto extent = table_at(segments, table.address + first * table.entry_size, table.name);
  if (!extent) return extent.error();
  const std::uint64_t size = table.size - first * table.entry_size;
  if (size > extent->size) return damaged(table.name, fmt::format("at most {:#x} bytes", extent->size), hex(size));
  if (size > kMaxTableBytes) return too_large(table.name, size);
  const std::uint64_t per_block = kBlockBytes / table.entry_size;
  const auto room = static_cast<std::size_t>(std::min(count - first, per_block)) * table.entry_size;
  const auto block = std::make_unique_for_overwrite<std::byte[]>(room);
  for (std::uint64_t done = 0; done < count - first;) {
    const std::uint64_t now = std::min(per_block, count - first - done);
    const std::span piece(block.get(), static_cast<std::size_t>(now) * table.entry_size);
    if (auto read = window.copy(extent->offset + done * table.entry_size, piece); !read) return read.error();
    if (const auto fault = fault_in(piece)) return *fault;
    done += now;
  }
  return {};
}

Result<std::vector<std::uint32_t>> read_used_symbols(const Window& window, const Header& header,
                                                     const Segments& segments, const Dynamic& dynamic,
                                                     std::uint64_t symbol_limit) {
  const Decoder decode = header.decoder();
  const std::uint64_t most = kMaxTableBytes / decode.size<Elf64_Sym, Elf32_Sym>();
  Marker marker(decode, std::min(symbol_limit, most));
  for (const RelocationTable& table : relocation_tables(dynamic, decode)) {
    const auto fault_in = [&](std::span<const std::byte> entries) -> std::optional<Reason> {
      for (std::size_t at = 0; at < entries.size(); at += table.entry_size) {
        if (marker.mark(entries.data() + at)) continue;
        if (marker.symbol() < symbol_limit)
          return too_large(kSymbolTable, (marker.symbol() + 1) * marker.symbol_size());
        return damaged(table.name, "a symbol of the symbol table", fmt::format("symbol {}", marker.symbol()));
      }
      return std::nullopt;
    };
    if (auto read = read_relocations(window, segments, table, table.relative, fault_in); !read) return read.error();
  }
  return marker.used();
}

}  // namespace myops::elf
