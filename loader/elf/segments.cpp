#include "loader/elf/segments.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

// The smallest page that any Linux machine has. Larger ones are the rules' affair: they know the machine.
constexpr std::uint64_t kSmallestPage = 4096;

Segment decode_segment(const Decoder& decode, const std::byte* at) {
  const auto get = [&](auto wide, auto narrow) { return decode.field(at, wide, narrow); };
  Segment segment;
  segment.type = static_cast<std::uint32_t>(get(&Elf64_Phdr::p_type, &Elf32_Phdr::p_type));
  segment.flags = static_cast<std::uint32_t>(get(&Elf64_Phdr::p_flags, &Elf32_Phdr::p_flags));
  segment.offset = get(&Elf64_Phdr::p_offset, &Elf32_Phdr::p_offset);
  segment.address = get(&Elf64_Phdr::p_vaddr, &Elf32_Phdr::p_vaddr);
  segment.file_size = get(&Elf64_Phdr::p_filesz, &Elf32_Phdr::p_filesz);
  segment.memory_size = get(&Elf64_Phdr::p_memsz, &Elf32_Phdr::p_memsz);
  segment.alignment = get(&Elf64_Phdr::p_align, &Elf32_Phdr::p_align);
  return segment;
}

std::string range_text(const Segment& segment) {
  return fmt::format("{:#x} + {:#x}", segment.address, segment.memory_size);
}

// What glibc maps, and the notes in which it looks for the ABI tag before that (open_verify).
bool is_read_by_linker(const Segment& segment) {
  return segment.type == PT_LOAD ||
         (segment.type == PT_NOTE && segment.file_size >= 32 && (segment.alignment == 4 || segment.alignment == 8));
}

Result<void> check_loaded(const Segment& segment, const Segment* previous, std::size_t index) {
  const std::string subject = fmt::format("program header {}", index);
  if (segment.file_size > segment.memory_size) {
    return damaged(subject, fmt::format("at most {:#x} bytes in the file", segment.memory_size),
                   hex(segment.file_size));
  }
  if (segment.memory_size > std::numeric_limits<std::uint64_t>::max() - segment.address) {
    return damaged(subject, "a range of addresses", range_text(segment));
  }
  if ((segment.address - segment.offset) % kSmallestPage != 0) {
    return damaged(subject, "address and offset alike within a page",
                   fmt::format("address {:#x}, offset {:#x}", segment.address, segment.offset));
  }
  if (previous && segment.address < previous->address + previous->memory_size) {
    return damaged(subject, "an address after " + range_text(*previous), range_text(segment));
  }
  return {};
}

}  // namespace

Result<Segments> Segments::read(Window& window, const Header& header) {
  const std::uint64_t table_size = std::uint64_t{header.segment_count} * header.segment_size;
  if (!inside(header.segments_offset, table_size, window.file_size())) {
    return truncated("program headers", header.segments_offset, table_size, window.file_size());
  }
  const auto table = window.at(header.segments_offset, static_cast<std::size_t>(table_size));
  if (!table) return table.error();
  const Decoder decode = header.decoder();
  Segments segments;
  for (std::size_t i = 0; i < header.segment_count; ++i) {
    segments.all_.push_back(decode_segment(decode, table->data() + i * header.segment_size));
  }
  // Truncation first: it explains whatever else looks wrong.
  for (std::size_t i = 0; i < segments.all_.size(); ++i) {
    const Segment& segment = segments.all_[i];
    if (!is_read_by_linker(segment) || inside(segment.offset, segment.file_size, window.file_size())) continue;
    return truncated(fmt::format("program header {}", i), segment.offset, segment.file_size, window.file_size());
  }
  for (std::size_t i = 0; i < segments.all_.size(); ++i) {
    const Segment& segment = segments.all_[i];
    if (segment.type != PT_LOAD) continue;
    const Segment* previous = segments.loaded_.empty() ? nullptr : &segments.loaded_.back();
    if (auto checked = check_loaded(segment, previous, i); !checked) return checked.error();
    segments.loaded_.push_back(segment);
  }
  if (segments.loaded_.empty()) return damaged("program headers", "a loadable segment", "none");
  return segments;
}

const Segment* Segments::before(std::uint64_t address) const {
  const auto next =
      std::upper_bound(loaded_.begin(), loaded_.end(), address,
                       [](std::uint64_t value, const Segment& segment) { return value < segment.address; });
  return next == loaded_.begin() ? nullptr : &*std::prev(next);
}

std::optional<Extent> Segments::extent_at(std::uint64_t address) const {
  const Segment* segment = before(address);
  if (segment == nullptr) return std::nullopt;
  const std::uint64_t within = address - segment->address;
  if (within >= segment->file_size) return std::nullopt;
  return Extent{segment->offset + within, segment->file_size - within};
}

const Segment* Segments::holding(std::uint64_t address, std::uint64_t size, std::uint32_t flags) const {
  const Segment* segment = before(address);
  const bool holds = segment != nullptr && (flags & ~segment->flags) == 0 &&
                     inside(address - segment->address, size, segment->memory_size);
  return holds ? segment : nullptr;
}

std::uint64_t Segments::largest_page() const {
  std::uint64_t differences = std::uint64_t{1} << 63;
  for (const Segment& segment : loaded_) differences |= segment.address - segment.offset;
  return differences & -differences;
}

Extent Segments::content_of(const Segment& segment, std::uint64_t file_size) const {
  Extent extent{segment.offset, segment.offset < file_size ? file_size - segment.offset : 0};
  if (const auto mapped = extent_at(segment.address)) extent = *mapped;
  extent.size = std::min(extent.size, segment.file_size);
  return extent;
}

}  // namespace myops::elf
