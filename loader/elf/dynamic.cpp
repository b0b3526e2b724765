#include "loader/elf/dynamic.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

constexpr const char* kSubject = "dynamic section";

// glibc takes the last segment with bytes, and refuses a file that also has an empty one: separate debug information.
Result<std::optional<Segment>> find_segment(const Segments& segments) {
  std::optional<Segment> found;
  for (const Segment& segment : segments.all()) {
    if (segment.type != PT_DYNAMIC) continue;
    if (segment.file_size == 0) return damaged(kSubject, "its content", "none (a file of debug information?)");
    found = segment;
  }
  return found;
}

}  // namespace

Result<Dynamic> Dynamic::read(Window& window, const Header& header, const Segments& segments) {
  Dynamic dynamic;
  const auto segment = find_segment(segments);
  if (!segment) return segment.error();
  if (!*segment) return dynamic;
  dynamic.present_ = true;
  const auto extent = table_at(segments, (*segment)->address, kSubject);
  if (!extent) return extent.error();
  const Decoder decode = header.decoder();
  const std::size_t entry_size = decode.size<Elf64_Dyn, Elf32_Dyn>();
  const std::uint64_t end = extent->offset + std::min(extent->size, (*segment)->file_size);
  for (std::uint64_t offset = extent->offset; inside(offset, entry_size, end); offset += entry_size) {
    const auto at = window.at(offset, entry_size);
    if (!at) return at.error();
    const std::uint64_t raw_tag = decode.field(at->data(), &Elf64_Dyn::d_tag, &Elf32_Dyn::d_tag);
    const auto tag = decode.wide() ? static_cast<std::int64_t>(raw_tag) : static_cast<std::int32_t>(raw_tag);
    if (tag == DT_NULL) break;
    // d_un follows d_tag and has its size.
    const std::byte* value = at->data() + entry_size / 2;
    dynamic.entries_.emplace_back(
        tag, decode.wide() ? decode.integer<std::uint64_t>(value) : decode.integer<std::uint32_t>(value));
  }
  return dynamic;
}

std::optional<std::uint64_t> Dynamic::value(std::int64_t tag) const {
  const auto found =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const auto& entry) { return entry.first == tag; });
  if (found == entries_.rend()) return std::nullopt;
  return found->second;
}

std::vector<std::uint64_t> Dynamic::values(std::int64_t tag) const {
  std::vector<std::uint64_t> values;
  for (const auto& [entry_tag, value] : entries_) {
    if (entry_tag == tag) values.push_back(value);
  }
  return values;
}

Result<void> check_dynamic(const Dynamic& dynamic, const Header& header) {
  if (!dynamic.present()) {
    if (header.type == ET_EXEC) return {};
    return damaged(kSubject, "present", "absent");
  }
  for (const auto& [tag, name] : {std::pair{DT_STRTAB, "DT_STRTAB"}, std::pair{DT_SYMTAB, "DT_SYMTAB"}}) {
    if (!dynamic.value(tag)) return damaged(kSubject, name, "absent");
  }
  const Decoder decode = header.decoder();
  struct EntrySize {
    std::int64_t table, tag;
    const char* name;
    std::size_t size;
  };
  for (const EntrySize& entry : {EntrySize{DT_RELA, DT_RELAENT, "DT_RELAENT", decode.size<Elf64_Rela, Elf32_Rela>()},
                                 EntrySize{DT_REL, DT_RELENT, "DT_RELENT", decode.size<Elf64_Rel, Elf32_Rel>()}}) {
    if (!dynamic.value(entry.table) || dynamic.value(entry.tag) == entry.size) continue;
    return damaged(kSubject, fmt::format("{} {}", entry.name, entry.size), fmt::format("{}", dynamic.flags(entry.tag)));
  }
  if (const auto kind = dynamic.value(DT_PLTREL); kind && *kind != DT_RELA && *kind != DT_REL) {
    return damaged(kSubject, "DT_PLTREL DT_RELA or DT_REL", fmt::format("{}", *kind));
  }
  return {};
}

Result<Extent> table_at(const Segments& segments, std::uint64_t address, const char* table) {
  if (const auto extent = segments.extent_at(address)) return *extent;
  return damaged(table, "an address in the file", hex(address));
}

}  // namespace myops::elf
