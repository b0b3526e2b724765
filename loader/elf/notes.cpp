#include "loader/elf/notes.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGnuOwner = "GNU\0"sv;
constexpr std::string_view kManifestOwner = "myops\0"sv;  // cmake/manifest_note.S.in
constexpr std::uint32_t kManifestType = 1;
// Notes that are read of one file. Real ones have fewer than ten; overlapping segments could ask for any number.
constexpr int kMaxNotes = 1024;
constexpr std::uint64_t kMaxDescription = 4096;  // of build-ids and properties
constexpr std::size_t kManifestBlock = 8192;     // manifests are some KiB of text in a note of 32 KiB

// elf.h of older systems does not know it (psABI of x86-64, "Program Property").
constexpr std::uint32_t kX86Isa1Needed = 0xc0008002;

struct Note {
  std::uint32_t type = 0;
  std::string owner;  // with its NUL
  Extent description;
};

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

class NoteReader {
 public:
  NoteReader(Window& window, const Header& header, ElfFacts& facts)
      : window_(window), decode_(header.decoder()), facts_(facts) {}

  Result<void> read_segment(Extent rest, std::uint64_t alignment);

 private:
  Result<bool> next(Extent& rest, std::uint64_t alignment, Note& note);
  Result<void> take(const Note& note);
  Result<void> take_build_id(const Extent& description);
  Result<void> take_properties(const Extent& description);
  Result<void> take_manifest(const Extent& description);

  Window& window_;
  Decoder decode_;
  ElfFacts& facts_;
  int notes_left_ = kMaxNotes;
};

Result<void> NoteReader::read_segment(Extent rest, std::uint64_t alignment) {
  while (notes_left_-- > 0) {
    Note note;
    const auto more = next(rest, alignment, note);
    if (!more) return more.error();
    if (!*more) break;
    if (auto taken = take(note); !taken) return taken.error();
  }
  return {};
}

// Takes the note at the start of `rest` off it; false at the end, or where no whole note follows. A description that is
// longer than the segment is cut there.
Result<bool> NoteReader::next(Extent& rest, std::uint64_t alignment, Note& note) {
  if (rest.size < sizeof(Elf64_Nhdr)) return false;
  const auto header = window_.at(rest.offset, sizeof(Elf64_Nhdr));
  if (!header) return header.error();
  const std::uint64_t owner_size = decode_.field(header->data(), &Elf64_Nhdr::n_namesz);
  const std::uint64_t description_size = decode_.field(header->data(), &Elf64_Nhdr::n_descsz);
  note.type = static_cast<std::uint32_t>(decode_.field(header->data(), &Elf64_Nhdr::n_type));
  const std::uint64_t start = aligned(sizeof(Elf64_Nhdr) + owner_size, alignment);
  if (start > rest.size) return false;
  // Owners longer than those that are looked for need not be read.
  if (owner_size <= kManifestOwner.size()) {
    const auto owner = window_.at(rest.offset + sizeof(Elf64_Nhdr), static_cast<std::size_t>(owner_size));
    if (!owner) return owner.error();
    note.owner.assign(reinterpret_cast<const char*>(owner->data()), owner->size());
  }
  note.description = {rest.offset + start, std::min(description_size, rest.size - start)};
  const std::uint64_t step = std::min(aligned(start + description_size, alignment), rest.size);
  rest = {rest.offset + step, rest.size - step};
  return true;
}

Result<void> NoteReader::take(const Note& note) {
  if (note.owner == kGnuOwner && note.type == NT_GNU_BUILD_ID && facts_.build_id.empty()) {
    return take_build_id(note.description);
  }
  if (note.owner == kGnuOwner && note.type == NT_GNU_PROPERTY_TYPE_0) return take_properties(note.description);
  if (note.owner == kManifestOwner && note.type == kManifestType && !facts_.manifest)
    return take_manifest(note.description);
  return {};
}

Result<void> NoteReader::take_build_id(const Extent& description) {
  const auto bytes =
      window_.at(description.offset, static_cast<std::size_t>(std::min(description.size, kMaxDescription)));
  if (!bytes) return bytes.error();
  constexpr char kDigits[] = "0123456789abcdef";
  for (const std::byte byte : *bytes) {
    facts_.build_id += kDigits[std::to_integer<unsigned>(byte) >> 4];
    facts_.build_id += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return {};
}

// Properties are pairs of type and size, each followed by its data, padded to the class' word (gABI extension of
// Linux).
Result<void> NoteReader::take_properties(const Extent& description) {
  if (facts_.machine != EM_X86_64 && facts_.machine != EM_386) return {};
  const auto bytes =
      window_.at(description.offset, static_cast<std::size_t>(std::min(description.size, kMaxDescription)));
  if (!bytes) return bytes.error();
  constexpr std::uint64_t kHead = 8;
  for (std::uint64_t offset = 0; inside(offset, kHead, bytes->size());) {
    const std::byte* at = bytes->data() + offset;
    const auto type = decode_.integer<std::uint32_t>(at);
    const auto size = decode_.integer<std::uint32_t>(at + 4);
    if (!inside(offset + kHead, size, bytes->size())) break;
    if (type == kX86Isa1Needed && size == 4) facts_.isa_needed |= decode_.integer<std::uint32_t>(at + kHead);
    offset += aligned(kHead + size, decode_.wide() ? 8 : 4);
  }
  return {};
}

Result<void> NoteReader::take_manifest(const Extent& description) {
  facts_.manifest = "";
  facts_.manifest_offset = description.offset;
  facts_.manifest_capacity = description.size;
  const std::uint64_t size = std::min(description.size, kMaxTableBytes);  // a longer one is no manifest of any kind
  for (std::uint64_t done = 0; done < size;) {
    const auto piece = window_.some(description.offset + done, size - done, kManifestBlock);
    if (!piece) return piece.error();
    const char* start = reinterpret_cast<const char*>(piece->data());
    const std::size_t length = strnlen(start, piece->size());
    facts_.manifest->append(start, length);
    if (length < piece->size()) break;
    done += length;
  }
  return {};
}

}  // namespace

Result<void> read_notes(Window& window, const Header& header, const Segments& segments, ElfFacts& facts) {
  NoteReader reader(window, header, facts);
  for (const Segment& segment : segments.all()) {
    if (segment.type != PT_NOTE && segment.type != PT_GNU_PROPERTY) continue;
    // 8 is what glibc and binutils take for notes of that alignment; everything else counts as 4.
    const std::uint64_t alignment = segment.alignment == 8 ? 8 : 4;
    auto read = reader.read_segment(segments.content_of(segment, window.file_size()), alignment);
    if (!read) return read.error();
  }
  return {};
}

}  // namespace myops::elf
