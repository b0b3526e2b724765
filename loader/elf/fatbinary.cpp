#include "loader/elf/fatbinary.h"

#include <elf.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "loader/elf/faults.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"

namespace myops::elf {
namespace {

constexpr std::string_view kSection = ".nv_fatbin";
constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kContainerHeader = 16;
constexpr std::uint64_t kEntryHeader = 48;  // as far as it is read
constexpr std::uint64_t kPaddingUnit = 8;
// The largest library of CUDA 13 (libcublasLt) has 5 thousand entries.
constexpr int kMaxEntries = 1 << 16;

constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kMachineCode = 2;
constexpr std::uint64_t kForOneGpu = std::uint64_t{1} << 20;     // sm_90a
constexpr std::uint64_t kForOneFamily = std::uint64_t{1} << 21;  // sm_100f

using Architecture = std::pair<std::uint32_t, std::string>;  // number, suffix

std::vector<std::string> names(const std::set<Architecture>& architectures) {
  std::vector<std::string> out;
  for (const auto& [number, suffix] : architectures) out.push_back(std::to_string(number) + suffix);
  return out;
}

struct Code {
  std::set<Architecture> sm, ptx;

  Architectures named() const { return {names(sm), names(ptx)}; }
  friend auto operator<=>(const Code&, const Code&) = default;
};

class FatbinaryReader {
 public:
  explicit FatbinaryReader(Window& window) : window_(window) {}

  // All containers of a section.
  Result<void> read(Extent section);
  DeviceCode code() const;

 private:
  Result<void> read_entries(Extent entries, Code& code);
  Result<void> take(const std::byte* entry, Code& code);
  void add(const Code& container);

  Window& window_;
  Decoder decode_ = Decoder(64, true);
  Code all_;
  std::set<Code> parts_;
  bool found_ = false;
  int left_ = kMaxEntries;
};

Result<void> FatbinaryReader::read(Extent section) {
  while (section.size >= kContainerHeader) {
    if (--left_ < 0) return too_large(kSection, section.size);
    const auto header = window_.at(section.offset, kContainerHeader);
    if (!header) return header.error();
    std::uint64_t step = kPaddingUnit;  // between containers
    if (const auto first = decode_.integer<std::uint64_t>(header->data()); first != 0) {
      const auto magic = decode_.integer<std::uint32_t>(header->data());
      const std::uint64_t head = decode_.integer<std::uint16_t>(header->data() + 6);
      const auto size = decode_.integer<std::uint64_t>(header->data() + 8);
      if (magic != kMagic) return damaged(kSection, "a fat binary's magic " + hex(kMagic), hex(magic));
      if (head < kContainerHeader || !inside(head, size, section.size)) {
        return damaged(kSection, "a fat binary of at most " + hex(section.size) + " bytes",
                       hex(head) + " and " + hex(size));
      }
      found_ = true;
      Code code;
      if (auto read = read_entries({section.offset + head, size}, code); !read) return read;
      add(code);
      step = head + size;
    }
    section = {section.offset + step, section.size - step};
  }
  return {};
}

Result<void> FatbinaryReader::read_entries(Extent entries, Code& code) {
  while (entries.size >= kEntryHeader) {
    if (--left_ < 0) return too_large(kSection, entries.size);
    const auto entry = window_.at(entries.offset, kEntryHeader);
    if (!entry) return entry.error();
    const std::uint64_t head = decode_.integer<std::uint32_t>(entry->data() + 4);
    const auto size = decode_.integer<std::uint64_t>(entry->data() + 8);
    if (head < kEntryHeader || !inside(head, size, entries.size)) {
      return damaged(kSection, "an entry of at most " + hex(entries.size) + " bytes", hex(head) + " and " + hex(size));
    }
    if (auto taken = take(entry->data(), code); !taken) return taken;
    entries = {entries.offset + head + size, entries.size - head - size};
  }
  return {};
}

Result<void> FatbinaryReader::take(const std::byte* entry, Code& code) {
  const auto kind = decode_.integer<std::uint16_t>(entry);
  if (kind != kPtx && kind != kMachineCode) return {};
  const auto number = decode_.integer<std::uint32_t>(entry + 28);
  const auto flags = decode_.integer<std::uint64_t>(entry + 40);
  if (number < 10 || number > 9999) {
    return damaged(kSection, "an architecture of two to four digits", std::to_string(number));
  }
  const char* suffix = (flags & kForOneGpu) != 0 ? "a" : (flags & kForOneFamily) != 0 ? "f" : "";
  (kind == kPtx ? code.ptx : code.sm).emplace(number, suffix);
  return {};
}

void FatbinaryReader::add(const Code& container) {
  if (container.sm.empty() && container.ptx.empty()) return;
  all_.sm.insert(container.sm.begin(), container.sm.end());
  all_.ptx.insert(container.ptx.begin(), container.ptx.end());
  parts_.insert(container);
}

DeviceCode FatbinaryReader::code() const {
  DeviceCode code{found_, all_.named()};
  if (parts_.size() < 2) return code;
  for (const Code& part : parts_) code.parts.push_back(part.named());
  return code;
}

// Where the sections of this name lie. (The dynamic linker reads no section headers; CUDA's runtime is handed the
// address of each container. For a build, which has just written them, they are the plain way.)
class Sections {
 public:
  static Result<Sections> read(Window& window, const Header& header);
  Result<std::vector<Extent>> named(std::string_view name);

 private:
  Sections(Window& window, Extent table, Decoder decode) : window_(window), table_(table), decode_(decode) {}
  Result<Elf64_Shdr> at(std::uint64_t index);

  Window& window_;
  Extent table_;  // of Elf64_Shdr
  Decoder decode_;
  std::uint64_t names_ = 0;  // e_shstrndx
};

Result<Sections> Sections::read(Window& window, const Header& header) {
  const auto bytes = window.at(0, sizeof(Elf64_Ehdr));
  if (!bytes) return bytes.error();
  const Decoder decode = header.decoder();
  const std::uint64_t count = decode.field(bytes->data(), &Elf64_Ehdr::e_shnum);
  const std::uint64_t offset = decode.field(bytes->data(), &Elf64_Ehdr::e_shoff);
  const bool usable = decode.field(bytes->data(), &Elf64_Ehdr::e_shentsize) == sizeof(Elf64_Shdr);
  Sections sections(window, {offset, usable ? count * sizeof(Elf64_Shdr) : 0}, decode);
  sections.names_ = decode.field(bytes->data(), &Elf64_Ehdr::e_shstrndx);
  return sections;
}

Result<Elf64_Shdr> Sections::at(std::uint64_t index) {
  if (index >= table_.size / sizeof(Elf64_Shdr)) {
    return damaged("e_shstrndx", "the number of a section", std::to_string(index));
  }
  const auto bytes = window_.at(table_.offset + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
  if (!bytes) return bytes.error();
  Elf64_Shdr section{};
  section.sh_name = static_cast<Elf64_Word>(decode_.field(bytes->data(), &Elf64_Shdr::sh_name));
  section.sh_type = static_cast<Elf64_Word>(decode_.field(bytes->data(), &Elf64_Shdr::sh_type));
  section.sh_offset = decode_.field(bytes->data(), &Elf64_Shdr::sh_offset);
  section.sh_size = decode_.field(bytes->data(), &Elf64_Shdr::sh_size);
  return section;
}

Result<std::vector<Extent>> Sections::named(std::string_view name) {
  std::vector<Extent> found;
  const std::uint64_t count = table_.size / sizeof(Elf64_Shdr);
  if (count == 0) return found;
  const auto strings = at(names_);
  if (!strings) return strings.error();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto section = at(i);
    if (!section) return section.error();
    if (section->sh_type == SHT_NOBITS || !inside(section->sh_name, name.size() + 1, strings->sh_size)) continue;
    const auto text = window_.at(strings->sh_offset + section->sh_name, name.size() + 1);
    if (!text) return text.error();
    if (std::string_view(reinterpret_cast<const char*>(text->data()), text->size()) != std::string(name) + '\0')
      continue;
    if (!inside(section->sh_offset, section->sh_size, window_.file_size())) {
      return truncated(name, section->sh_offset, section->sh_size, window_.file_size());
    }
    found.push_back({section->sh_offset, section->sh_size});
  }
  return found;
}

}  // namespace

Result<DeviceCode> read_device_code(const Bytes& bytes) {
  Window window(bytes);
  const auto header = read_header(window);
  if (!header) return header.error();
  if (header->bits != 64 || !header->little_endian || header->section_headers_cut) return DeviceCode{};
  auto sections = Sections::read(window, *header);
  if (!sections) return sections.error();
  const auto extents = sections->named(kSection);
  if (!extents) return extents.error();
  FatbinaryReader reader(window);
  for (const Extent& extent : *extents) {
    if (auto read = reader.read(extent); !read) return read.error();
  }
  return reader.code();
}

}  // namespace myops::elf
