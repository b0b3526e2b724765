#include "loader/elf/versions.h"

#include <elf.h>
#include <fmt/format.h>

#include <string>

#include "loader/elf/faults.h"
#include "loader/elf/version_records.h"

namespace myops::elf {
namespace {

constexpr const char* kNeeds = "DT_VERNEED";
constexpr const char* kDefinitions = "DT_VERDEF";
constexpr std::uint16_t kIndexBits = 0x7fff;
constexpr std::uint16_t kHiddenBit = 0x8000;
// An index has 15 bits. The limit also bounds records that share their parts.
constexpr int kMaxRecords = 65536;

class VersionReader {
 public:
  VersionReader(Window& window, const Header& header, const Segments& segments, const NameAt& name_at, ElfFacts& facts)
      : window_(window), decode_(header.decoder()), segments_(segments), name_at_(name_at), facts_(facts) {}

  Result<void> read_needs(std::uint64_t address);
  Result<void> read_definitions(std::uint64_t address);
  VersionNames take() { return std::move(names_); }

 private:
  // The record at `address`; valid until the next call. The records are alike in both classes.
  template <class Record>
  Result<Record> record(std::uint64_t address, const char* table) {
    if (records_left_-- == 0) return damaged(table, fmt::format("at most {} records", kMaxRecords), "more");
    const auto extent = table_at(segments_, address, table);
    if (!extent) return extent.error();
    if (extent->size < sizeof(Record)) return damaged(table, "whole records", "half of one at " + hex(address));
    const auto bytes = window_.at(extent->offset, sizeof(Record));
    if (!bytes) return bytes.error();
    return decode_version_record<Record>(decode_, bytes->data());
  }

  Result<void> read_needed_versions(std::uint64_t address, std::uint64_t file_offset);
  Result<void> read_definition(const Elf64_Verdef& definition, std::uint64_t address);

  Window& window_;
  Decoder decode_;
  const Segments& segments_;
  const NameAt& name_at_;
  ElfFacts& facts_;
  VersionNames names_;
  int records_left_ = kMaxRecords;
};

Result<void> VersionReader::read_needs(std::uint64_t address) {
  for (;;) {
    const auto need = record<Elf64_Verneed>(address, kNeeds);
    if (!need) return need.error();
    if (need->vn_version != VER_NEED_CURRENT) {
      return damaged(kNeeds, "records of version 1", fmt::format("version {}", need->vn_version));
    }
    if (auto read = read_needed_versions(address + need->vn_aux, need->vn_file); !read) return read.error();
    if (need->vn_next == 0) return {};
    address += need->vn_next;
  }
}

Result<void> VersionReader::read_needed_versions(std::uint64_t address, std::uint64_t file_offset) {
  for (;;) {
    const auto version = record<Elf64_Vernaux>(address, kNeeds);
    if (!version) return version.error();
    // Asked for again with each version, so that the string table counts the copies.
    const auto file = name_at_(file_offset);
    if (!file) return file.error();
    const auto name = name_at_(version->vna_name);
    if (!name) return name.error();
    facts_.version_needs.push_back({std::string(*file), std::string(*name), (version->vna_flags & VER_FLG_WEAK) != 0});
    names_[version->vna_other & kIndexBits] = {*name, *file, (version->vna_other & kHiddenBit) != 0};
    if (version->vna_next == 0) return {};
    address += version->vna_next;
  }
}

Result<void> VersionReader::read_definitions(std::uint64_t address) {
  for (;;) {
    const auto definition = record<Elf64_Verdef>(address, kDefinitions);
    if (!definition) return definition.error();
    if (definition->vd_version != VER_DEF_CURRENT) {
      return damaged(kDefinitions, "records of version 1", fmt::format("version {}", definition->vd_version));
    }
    if (auto read = read_definition(*definition, address); !read) return read.error();
    if (definition->vd_next == 0) return {};
    address += definition->vd_next;
  }
}

// The base version is the name of the file: glibc lets no symbol match by it (elf/dl-version.c).
Result<void> VersionReader::read_definition(const Elf64_Verdef& definition, std::uint64_t address) {
  const auto entry = record<Elf64_Verdaux>(address + definition.vd_aux, kDefinitions);
  if (!entry) return entry.error();
  const auto name = name_at_(entry->vda_name);
  if (!name) return name.error();
  if (definition.vd_flags & VER_FLG_BASE) {
    facts_.base_version = *name;
    return {};
  }
  facts_.version_definitions.emplace_back(*name);
  names_[definition.vd_ndx & kIndexBits] = {*name, {}, false};
  return {};
}

}  // namespace

Result<VersionNames> read_versions(Window& window, const Header& header, const Segments& segments,
                                   const Dynamic& dynamic, const NameAt& name_at, ElfFacts& facts) {
  VersionReader reader(window, header, segments, name_at, facts);
  if (const auto needs = dynamic.value(DT_VERNEED)) {
    if (auto read = reader.read_needs(*needs); !read) return read.error();
  }
  if (const auto definitions = dynamic.value(DT_VERDEF)) {
    facts.has_version_definitions = true;
    if (auto read = reader.read_definitions(*definitions); !read) return read.error();
  }
  // glibc looks at DT_VERSYM only where one of the two is present.
  facts.versioned_symbols =
      dynamic.value(DT_VERSYM).has_value() && (dynamic.value(DT_VERNEED) || facts.has_version_definitions);
  return reader.take();
}

}  // namespace myops::elf
