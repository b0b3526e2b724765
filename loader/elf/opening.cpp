#include "loader/elf/opening.h"

#include <elf.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "loader/elf/faults.h"
#include "loader/elf/relocations.h"

namespace myops::elf {
namespace {

constexpr std::uint64_t kWord = 8;

// Bytes that a relocation writes (System V ABI for x86-64, table 4.9; TLSDESC: a pair); none where ld.so has no such
// type for a library.
std::optional<std::uint64_t> bytes_written(std::uint64_t type) {
  switch (type) {
    case R_X86_64_NONE:
      return 0;
    case R_X86_64_PC32:
    case R_X86_64_32:
    case R_X86_64_SIZE32:
      return 4;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_RELATIVE:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_SIZE64:
    case R_X86_64_IRELATIVE:
      return kWord;
    case R_X86_64_TLSDESC:
      return 2 * kWord;
    case R_X86_64_COPY:  // as much as the symbol has
      return 1;
    default:
      return std::nullopt;
  }
}

// The addresses of functions that the linker calls in turn: DT_INIT_ARRAY, DT_FINI_ARRAY. Each is put there by a
// relocation.
struct FunctionArray {
  const char* name;
  std::uint64_t address;
  std::vector<bool> filled;

  std::uint64_t size() const { return filled.size() * kWord; }
};

class Opening {
 public:
  Opening(const Window& window, const Header& header, const Segments& segments, const Dynamic& dynamic)
      : window_(window), decode_(header.decoder()), segments_(segments), dynamic_(dynamic) {
    writes_into_text_ = dynamic.value(DT_TEXTREL).has_value() || (dynamic.flags(DT_FLAGS) & DF_TEXTREL) != 0;
  }

  Result<void> check() {
    if (auto checked = check_tables(); !checked) return checked;
    if (auto checked = check_functions(); !checked) return checked;
    for (const RelocationTable& table : relocation_tables(dynamic_, decode_)) {
      if (!table.has_addend) continue;  // ld.so of x86-64 passes over DT_REL
      if (auto checked = check_table(table); !checked) return checked;
    }
    if (auto checked = check_relative_words(); !checked) return checked;
    for (const FunctionArray& array : arrays_) {
      for (std::size_t i = 0; i < array.filled.size(); ++i) {
        if (!array.filled[i])
          return damaged(array.name, "a relocation of each entry", fmt::format("none of entry {}", i));
      }
    }
    return {};
  }

 private:
  Result<void> check_tables() const {
    for (const auto& [tag, name] :
         {std::pair{DT_STRTAB, "DT_STRTAB"}, std::pair{DT_SYMTAB, "DT_SYMTAB"}, std::pair{DT_HASH, "DT_HASH"},
          std::pair{DT_GNU_HASH, "DT_GNU_HASH"}, std::pair{DT_VERSYM, "DT_VERSYM"}, std::pair{DT_VERNEED, "DT_VERNEED"},
          std::pair{DT_VERDEF, "DT_VERDEF"}, std::pair{DT_RELA, "DT_RELA"}, std::pair{DT_JMPREL, "DT_JMPREL"},
          std::pair{DT_RELR, "DT_RELR"}}) {
      const auto address = dynamic_.value(tag);
      if (address && !segments_.holds(*address, 1, PF_R)) return damaged(name, "readable memory", hex(*address));
    }
    for (const Segment& segment : segments_.all()) {
      if (segment.type == PT_LOAD && segment.flags == 0 && segment.file_size > 0) {
        return damaged("program headers", "what may be done with each loadable segment", "nothing");
      }
      if (segment.type != PT_DYNAMIC || (segment.flags & PF_W) == 0) continue;
      if (segments_.holds(segment.address, segment.file_size, PF_R | PF_W)) continue;
      return damaged("dynamic section", "writable memory, as its program header says", hex(segment.address));
    }
    // One without the other: the linker would work with half of them.
    for (const auto& [first, second, names] : {std::tuple{DT_RELASZ, DT_RELA, "DT_RELA and DT_RELASZ"},
                                               std::tuple{DT_RELACOUNT, DT_RELA, "DT_RELA and DT_RELACOUNT"},
                                               std::tuple{DT_RELA, DT_RELASZ, "DT_RELA and DT_RELASZ"},
                                               std::tuple{DT_PLTRELSZ, DT_JMPREL, "DT_JMPREL and DT_PLTRELSZ"},
                                               std::tuple{DT_JMPREL, DT_PLTRELSZ, "DT_JMPREL and DT_PLTRELSZ"},
                                               std::tuple{DT_VERNEEDNUM, DT_VERNEED, "DT_VERNEED and DT_VERNEEDNUM"},
                                               std::tuple{DT_VERNEED, DT_VERSYM, "DT_VERNEED and DT_VERSYM"}}) {
      if (dynamic_.value(first) && !dynamic_.value(second)) return damaged("dynamic section", names, "one of them");
    }
    return {};
  }

  Result<void> check_functions() {
    for (const auto& [tag, name] : {std::pair{DT_INIT, "DT_INIT"}, std::pair{DT_FINI, "DT_FINI"}}) {
      const auto address = dynamic_.value(tag);
      if (address && !is_code(*address)) return damaged(name, "an address of code", hex(*address));
    }
    for (const auto& [tag, size_tag, name] : {std::tuple{DT_INIT_ARRAY, DT_INIT_ARRAYSZ, "DT_INIT_ARRAY"},
                                              std::tuple{DT_FINI_ARRAY, DT_FINI_ARRAYSZ, "DT_FINI_ARRAY"}}) {
      const auto address = dynamic_.value(tag);
      const std::uint64_t size = dynamic_.flags(size_tag);
      if (!address && size == 0) continue;
      if (!address) return damaged(name, fmt::format("an array of {} bytes", size), "none");
      const auto extent = table_at(segments_, *address, name);
      if (!extent) return extent.error();
      if (size > extent->size) return damaged(name, fmt::format("at most {:#x} bytes", extent->size), hex(size));
      if (size > kMaxTableBytes) return too_large(name, size);
      arrays_.push_back({name, *address, std::vector<bool>(static_cast<std::size_t>(size / kWord))});
    }
    return {};
  }

  Result<void> check_table(const RelocationTable& table) {
    if (table.relative > table.size / table.entry_size) {
      return damaged(table.name, fmt::format("{} relative relocations", table.relative),
                     fmt::format("room for {}", table.size / table.entry_size));
    }
    std::uint64_t index = 0;
    return read_relocations(window_, segments_, table, 0,
                            [&](std::span<const std::byte> entries) -> std::optional<Reason> {
                              for (std::size_t at = 0; at < entries.size(); at += sizeof(Elf64_Rela), ++index) {
                                static_assert(std::endian::native == std::endian::little, "as x86-64 files are");
                                Elf64_Rela entry;
                                std::memcpy(&entry, entries.data() + at, sizeof entry);
                                if (is_ordinary(entry)) continue;
                                if (auto fault = fault_of(entry, table, index)) return fault;
                              }
                              return std::nullopt;
                            });
  }

  // As most are, and without a fault: a relative one, into the segment of the one before, outside the function arrays.
  bool is_ordinary(const Elf64_Rela& entry) {
    return ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE && target_ != nullptr &&
           inside(entry.r_offset - target_->address, kWord, target_->memory_size) && !entry_at(entry.r_offset);
  }

  std::optional<Reason> fault_of(const Elf64_Rela& entry, const RelocationTable& table, std::uint64_t index) {
    const std::uint64_t type = ELF64_R_TYPE(entry.r_info);
    const auto fault = [&](std::string expected, std::string found) {
      return damaged(fmt::format("{}, relocation {}", table.name, index), std::move(expected), std::move(found));
    };
    if (index < table.relative && type != R_X86_64_RELATIVE)
      return fault("a relative one", fmt::format("type {}", type));
    const auto written = bytes_written(type);
    if (!written) return fault("a type that the linker knows", fmt::format("type {}", type));
    if (*written == 0) return std::nullopt;
    target_ = written_segment(entry.r_offset, *written);
    if (target_ == nullptr) return fault("an address that can be written", hex(entry.r_offset));
    const bool is_called = type == R_X86_64_IRELATIVE || (fill(entry.r_offset) && type == R_X86_64_RELATIVE);
    const auto function = static_cast<std::uint64_t>(entry.r_addend);
    if (is_called && !is_code(function)) return fault("an address of code", hex(function));
    return std::nullopt;
  }

  // DT_RELR: addresses of words to which the linker adds where the file lies, and bit maps of the words behind them.
  Result<void> check_relative_words() {
    const auto address = dynamic_.value(DT_RELR);
    if (!address) return {};
    const RelocationTable table{"DT_RELR", *address, dynamic_.flags(DT_RELRSZ), kWord, 0, false};
    std::uint64_t next = 0;
    return read_relocations(window_, segments_, table, 0,
                            [&](std::span<const std::byte> entries) -> std::optional<Reason> {
                              for (std::size_t at = 0; at < entries.size(); at += kWord) {
                                const auto entry = decode_.integer<std::uint64_t>(entries.data() + at);
                                if (auto fault = fault_of_words(entry, next)) return fault;
                              }
                              return std::nullopt;
                            });
  }

  // Those that an entry stands for: the word at an address, or those of a bit map from `next` on.
  std::optional<Reason> fault_of_words(std::uint64_t entry, std::uint64_t& next) {
    if ((entry & 1) == 0) {
      next = entry + kWord;
      return fault_of_word(entry);
    }
    for (std::uint64_t bits = entry >> 1, word = next; bits != 0; bits >>= 1, word += kWord) {
      if ((bits & 1) == 0) continue;
      if (auto fault = fault_of_word(word)) return fault;
    }
    next += 63 * kWord;
    return std::nullopt;
  }

  std::optional<Reason> fault_of_word(std::uint64_t target) {
    if (written_segment(target, kWord) == nullptr) {
      return damaged("DT_RELR", "an address that can be written", hex(target));
    }
    if (!fill(target)) return std::nullopt;
    std::byte content[kWord];
    const auto extent = table_at(segments_, target, "DT_RELR");
    if (!extent) return extent.error();
    if (auto read = window_.copy(extent->offset, content); !read) return read.error();
    const auto function = decode_.integer<std::uint64_t>(content);
    if (!is_code(function)) return damaged("DT_RELR", "an address of code", hex(function));
    return std::nullopt;
  }

  // The entry of a function array that lies there.
  std::optional<std::vector<bool>::reference> entry_at(std::uint64_t target) {
    for (FunctionArray& array : arrays_) {
      const std::uint64_t within = target - array.address;
      if (target >= array.address && within < array.size() && within % kWord == 0) {
        return array.filled[static_cast<std::size_t>(within / kWord)];
      }
    }
    return std::nullopt;
  }

  // Is it an entry of a function array?
  bool fill(std::uint64_t target) {
    auto entry = entry_at(target);
    if (entry) *entry = true;
    return entry.has_value();
  }

  bool is_code(std::uint64_t address) const { return segments_.holds(address, 1, PF_X); }
  // Null where such a write is not possible.
  const Segment* written_segment(std::uint64_t address, std::uint64_t size) const {
    return segments_.holding(address, size, writes_into_text_ ? 0 : PF_W);
  }

  const Window& window_;
  Decoder decode_;
  const Segments& segments_;
  const Dynamic& dynamic_;
  bool writes_into_text_ = false;
  const Segment* target_ = nullptr;  // that the last relocation writes into
  std::vector<FunctionArray> arrays_;
};

}  // namespace

Result<void> check_opening(const Window& window, const Header& header, const Segments& segments,
                           const Dynamic& dynamic) {
  if (header.machine != EM_X86_64 || header.bits != 64 || !header.little_endian) return {};
  return Opening(window, header, segments, dynamic).check();
}

}  // namespace myops::elf
