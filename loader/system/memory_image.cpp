#include "loader/system/memory_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace myops::system {
namespace {

std::string hex_text(const unsigned char* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char* byte = bytes; byte != bytes + size; ++byte) {
    text += kDigits[*byte >> 4];
    text += kDigits[*byte & 15];
  }
  return text;
}

// gABI, "Note Section"; the linker has the segment in memory as it is in the file.
std::string build_id_in(const unsigned char* notes, std::size_t size, std::size_t alignment) {
  const auto aligned = [&](std::size_t length) { return (length + alignment - 1) / alignment * alignment; };
  ElfW(Nhdr) note;
  while (size >= sizeof note) {
    std::memcpy(&note, notes, sizeof note);
    const std::size_t start = aligned(sizeof note + note.n_namesz);
    if (start > size || note.n_descsz > size - start) return "";
    const bool is_gnu = note.n_namesz == sizeof "GNU" && std::memcmp(notes + sizeof note, "GNU", sizeof "GNU") == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) return hex_text(notes + start, note.n_descsz);
    const std::size_t step = std::min(aligned(start + note.n_descsz), size);
    notes += step;
    size -= step;
  }
  return "";
}

template <class Record>
Record record_at(const char* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}

}  // namespace

std::optional<ElfW(Xword)> MemoryImage::dynamic(ElfW(Sxword) tag) const {
  for (const ElfW(Phdr) & header : headers_) {
    if (header.p_type != PT_DYNAMIC) continue;
    for (const auto* item = reinterpret_cast<const ElfW(Dyn)*>(base_ + header.p_vaddr); item->d_tag != DT_NULL;
         ++item) {
      if (item->d_tag == tag) return item->d_un.d_val;
    }
  }
  return std::nullopt;
}

const char* MemoryImage::table(ElfW(Sxword) tag) const {
  const auto value = dynamic(tag);
  if (!value) return nullptr;
  // glibc turns the offsets of some tables into addresses where it may write to the segment.
  return reinterpret_cast<const char*>(*value < base_ ? *value + base_ : *value);
}

std::uintptr_t MemoryImage::start() const {
  const auto first = std::ranges::find(headers_, ElfW(Word){PT_LOAD}, &ElfW(Phdr)::p_type);
  return first == headers_.end() ? 0 : base_ + first->p_vaddr;
}

std::string MemoryImage::build_id() const {
  for (const ElfW(Phdr) & header : headers_) {
    if (header.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(base_ + header.p_vaddr);
    auto id = build_id_in(notes, header.p_memsz, header.p_align == 8 ? 8 : 4);
    if (!id.empty()) return id;
  }
  return "";
}

std::string MemoryImage::soname() const {
  const char* strings = table(DT_STRTAB);
  const auto name = dynamic(DT_SONAME);
  return strings == nullptr || !name ? "" : strings + *name;
}

bool MemoryImage::names_contain(std::string_view part) const {
  const char* strings = table(DT_STRTAB);
  const auto size = dynamic(DT_STRSZ);
  return strings != nullptr && size && ::memmem(strings, *size, part.data(), part.size()) != nullptr;
}

// LSB, "Symbol Versioning"; the base version is the name of the file.
elf::ElfFacts MemoryImage::versions() const {
  elf::ElfFacts facts;
  facts.soname = soname();
  facts.identity_only = facts.versions_known = true;
  const char* strings = table(DT_STRTAB);
  const char* at = table(DT_VERDEF);
  if (strings == nullptr || at == nullptr) return facts;
  facts.has_version_definitions = true;
  for (;;) {
    const auto definition = record_at<ElfW(Verdef)>(at);
    const std::string name = strings + record_at<ElfW(Verdaux)>(at + definition.vd_aux).vda_name;
    if (definition.vd_flags & VER_FLG_BASE) {
      facts.base_version = name;
    } else {
      facts.version_definitions.push_back(name);
    }
    if (definition.vd_next == 0) return facts;
    at += definition.vd_next;
  }
}

}  // namespace myops::system
