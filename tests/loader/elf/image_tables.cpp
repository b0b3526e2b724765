// How Image writes the structures and tables of the gABI.
#include <algorithm>

#include "tests/loader/elf/image.h"

namespace myops::elf {
namespace {

constexpr std::uint32_t kBuckets = 2;

std::uint32_t gnu_hash_of(const std::string& name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// gABI, "Hash Table".
std::uint32_t sysv_hash_of(const std::string& name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash & 0xf0000000U;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

}  // namespace

std::uint32_t Image::gnu_bucket_of(const std::string& name) { return gnu_hash_of(name) % kBuckets; }

void Image::write_header(ByteWriter& file) const {
  file.bytes(std::string(ELFMAG, SELFMAG));
  file.u8(bits == 64 ? ELFCLASS64 : ELFCLASS32);
  file.u8(little_endian ? ELFDATA2LSB : ELFDATA2MSB);
  file.u8(EV_CURRENT);
  file.u8(os_abi);
  file.integer(0, 8);
  file.u16(type);
  file.u16(machine);
  file.u32(EV_CURRENT);
  file.word(0);                                     // e_entry
  file.word(bits == 64 ? sizeof(Elf64_Ehdr) : 56);  // e_phoff: the header, aligned
  file.word(0);                                     // e_shoff
  file.u32(0);
  file.u16(bits == 64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
  file.u16(bits == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
  file.u16(segment_count());
  file.u16(bits == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
  file.u16(0);
  file.u16(0);
}

void Image::write_segments(ByteWriter& file) const {
  const auto place = [&](const std::string& name) {
    const auto found = parts_.find(name);
    return found == parts_.end() ? std::pair<std::uint64_t, std::uint64_t>{} : found->second;
  };
  std::vector<ImageSegment> segments{{PT_LOAD, PF_R | PF_W, 0, kBase, file_size_, file_size_, 0x1000}};
  if (with_dynamic) {
    const auto [offset, size] = place("dynamic");
    segments.push_back({PT_DYNAMIC, PF_R | PF_W, offset, offset + kBase, size, size, 8});
  }
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    const auto [offset, size] = place("note" + std::to_string(i));
    segments.push_back({notes_[i].segment_type, PF_R, offset, offset + kBase, size, size, notes_[i].alignment});
  }
  segments.insert(segments.end(), more_segments.begin(), more_segments.end());
  for (const ImageSegment& segment : segments) {
    file.u32(segment.type);
    if (file.wide()) file.u32(segment.flags);
    for (const std::uint64_t value :
         {segment.offset, segment.address, segment.address, segment.file_size, segment.memory_size}) {
      file.word(value);
    }
    if (!file.wide()) file.u32(segment.flags);
    file.word(segment.alignment);
  }
}

void Image::write_note(ByteWriter& file, const Note& note) const {
  file.u32(note.owner.size());
  file.u32(note.description.size());
  file.u32(note.type);
  file.bytes(note.owner);
  file.align(note.alignment);
  file.bytes(note.description);
  file.align(note.alignment);
}

void Image::write_symbols(ByteWriter& file) {
  const auto write = [&](std::uint64_t name, const ImageSymbol& symbol) {
    const std::uint64_t info = static_cast<std::uint64_t>(symbol.binding) << 4 | symbol.type;
    file.u32(name);
    if (!file.wide()) file.word(symbol.value);
    if (!file.wide()) file.u32(0);
    file.u8(info);
    file.u8(symbol.visibility);
    file.u16(symbol.section);
    if (file.wide()) file.word(symbol.value);
    if (file.wide()) file.word(0);
  };
  write(0, {"", STT_NOTYPE, STB_LOCAL, STV_DEFAULT, 0, SHN_UNDEF, 0, false});
  for (const auto* symbols : {&imports_, &exports_}) {
    for (const ImageSymbol& symbol : *symbols) write(string(symbol.name), symbol);
  }
}

void Image::write_needs(ByteWriter& file) {
  // One Verneed with one Vernaux each: a file may occur more than once.
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    const bool last = i + 1 == needs_.size();
    file.u16(VER_NEED_CURRENT);
    file.u16(1);
    file.u32(string(needs_[i].file));
    file.u32(sizeof(Elf64_Verneed));
    file.u32(last ? 0 : sizeof(Elf64_Verneed) + sizeof(Elf64_Vernaux));
    file.u32(sysv_hash_of(needs_[i].version));
    file.u16(needs_[i].flags);
    file.u16(needs_[i].index);
    file.u32(string(needs_[i].version));
    file.u32(0);
  }
}

void Image::write_definitions(ByteWriter& file) {
  for (std::size_t i = 0; i < definitions_.size(); ++i) {
    const bool last = i + 1 == definitions_.size();
    file.u16(VER_DEF_CURRENT);
    file.u16(definitions_[i].flags);
    file.u16(definitions_[i].index);
    file.u16(1);
    file.u32(sysv_hash_of(definitions_[i].version));
    file.u32(sizeof(Elf64_Verdef));
    file.u32(last ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux));
    file.u32(string(definitions_[i].version));
    file.u32(0);
  }
}

void Image::write_gnu_hash(ByteWriter& file) const {
  const std::uint64_t first = 1 + imports_.size();
  file.u32(kBuckets);
  file.u32(first);
  file.u32(1);
  file.u32(6);
  file.word(~std::uint64_t{0});  // a bloom filter that lets everything pass
  for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    const auto found = std::find_if(exports_.begin(), exports_.end(),
                                    [&](const ImageSymbol& symbol) { return gnu_bucket_of(symbol.name) == bucket; });
    file.u32(found == exports_.end() ? 0 : first + static_cast<std::uint64_t>(found - exports_.begin()));
  }
  for (std::size_t i = 0; i < exports_.size(); ++i) {
    const std::uint32_t value = gnu_hash_of(exports_[i].name);
    const bool last =
        i + 1 == exports_.size() || gnu_bucket_of(exports_[i + 1].name) != gnu_bucket_of(exports_[i].name);
    file.u32((value & ~1U) | (last ? 1U : 0U));
  }
}

void Image::write_sysv_hash(ByteWriter& file) const {
  const std::uint64_t count = 1 + imports_.size() + exports_.size();
  std::vector<std::uint32_t> buckets(kBuckets);
  std::vector<std::uint32_t> chains(count);
  for (std::size_t i = 0; i < exports_.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(1 + imports_.size() + i);
    std::uint32_t& bucket = buckets[sysv_hash_of(exports_[i].name) % kBuckets];
    chains[index] = bucket;
    bucket = index;
  }
  file.u32(kBuckets);
  file.u32(count);
  for (const std::uint32_t bucket : buckets) file.u32(bucket);
  for (const std::uint32_t chain : chains) file.u32(chain);
}

void Image::write_relocations(ByteWriter& file) const {
  const auto write = [&](std::uint64_t symbol, std::uint64_t kind) {
    file.word(kBase);
    file.word(file.wide() ? symbol << 32 | kind : symbol << 8 | kind);
    if (rela) file.word(0);
  };
  for (std::uint64_t i = 0; i < relative_count; ++i) write(0, R_X86_64_RELATIVE);
  for (std::size_t i = 0; i < imports_.size(); ++i) {
    if (imports_[i].relocated) write(i + 1, R_X86_64_GLOB_DAT);
  }
}

std::vector<std::pair<std::int64_t, std::uint64_t>> Image::dynamic_entries() const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> entries = named_;
  const auto table = [&](std::int64_t tag, const char* name) {
    const auto found = parts_.find(name);
    entries.emplace_back(tag, kBase + (found == parts_.end() ? 0 : found->second.first));
  };
  const auto size_of_part = [&](const char* name) {
    const auto found = parts_.find(name);
    return found == parts_.end() ? std::uint64_t{0} : found->second.second;
  };
  table(DT_STRTAB, "strings");
  entries.emplace_back(DT_STRSZ, size_of_part("strings"));
  table(DT_SYMTAB, "symbols");
  if (hash == Hash::kGnu || hash == Hash::kBoth) table(DT_GNU_HASH, "gnu_hash");
  if (hash == Hash::kSysv || hash == Hash::kBoth) table(DT_HASH, "sysv_hash");
  table(rela ? DT_RELA : DT_REL, "relocations");
  entries.emplace_back(rela ? DT_RELASZ : DT_RELSZ, size_of_part("relocations"));
  const std::uint64_t entry = rela ? (bits == 64 ? 24 : 12) : (bits == 64 ? 16 : 8);
  entries.emplace_back(rela ? DT_RELAENT : DT_RELENT, entry);
  if (relative_count > 0) entries.emplace_back(rela ? DT_RELACOUNT : DT_RELCOUNT, relative_count);
  if (with_versym) table(DT_VERSYM, "versions");
  if (!needs_.empty()) table(DT_VERNEED, "needs");
  if (!definitions_.empty()) table(DT_VERDEF, "definitions");
  entries.insert(entries.end(), more_dynamic.begin(), more_dynamic.end());
  return entries;
}

void Image::write_dynamic(ByteWriter& file) const {
  for (const auto& [tag, value] : dynamic_entries()) {
    file.word(static_cast<std::uint64_t>(tag));
    file.word(value);
  }
  file.word(DT_NULL);
  file.word(0);
}

}  // namespace myops::elf
