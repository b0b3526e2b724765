#include "loader/elf/header.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "loader/elf/faults.h"
#include "loader/elf/first_bytes.h"

namespace myops::elf {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kNativeMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kNativeMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kNativeMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kNativeMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr std::uint16_t kNativeMachine = EM_S390;
#elif defined(__i386__)
constexpr std::uint16_t kNativeMachine = EM_386;
#elif defined(__arm__)
constexpr std::uint16_t kNativeMachine = EM_ARM;
#else
#error "name this machine's EM_ constant here"
#endif

Result<Header> read_identity(const std::byte* at) {
  const auto ident = [&](std::size_t index) { return std::to_integer<std::uint8_t>(at[index]); };
  if (ident(EI_CLASS) != ELFCLASS32 && ident(EI_CLASS) != ELFCLASS64) {
    return damaged("ELF class", "1 or 2", fmt::format("{}", ident(EI_CLASS)));
  }
  if (ident(EI_DATA) != ELFDATA2LSB && ident(EI_DATA) != ELFDATA2MSB) {
    return damaged("ELF byte order", "1 or 2", fmt::format("{}", ident(EI_DATA)));
  }
  Header header;
  header.bits = ident(EI_CLASS) == ELFCLASS64 ? 64 : 32;
  header.little_endian = ident(EI_DATA) == ELFDATA2LSB;
  header.os_abi = ident(EI_OSABI);
  header.current_version = ident(EI_VERSION) == EV_CURRENT;
  // glibc accepts a non-zero ABI version only for ELFOSABI_GNU, where it names features of the linker.
  header.clean_padding = (header.os_abi == ELFOSABI_GNU || ident(EI_ABIVERSION) == 0) &&
                         std::all_of(at + EI_PAD, at + EI_NIDENT, [](std::byte byte) { return byte == std::byte{0}; });
  return header;
}

std::string type_name(std::uint16_t type) {
  switch (type) {
    case ET_NONE:
      return "an ELF file of no type";
    case ET_REL:
      return "an ELF object file (.o)";
    case ET_CORE:
      return "a core dump";
    default:
      return "ELF type " + hex(type);
  }
}

}  // namespace

Result<Header> read_header(Window& window) {
  const auto head = window.head();
  if (!head) return head.error();
  if (head->empty()) return not_a_library("an empty file");
  const std::byte* at = head->data();
  if (head->size() < SELFMAG || std::memcmp(at, ELFMAG, SELFMAG) != 0)
    return not_a_library(describe_first_bytes(*head));
  if (head->size() < EI_NIDENT) return truncated("ELF header", 0, sizeof(Elf32_Ehdr), window.file_size());
  auto header = read_identity(at);
  if (!header) return header;
  const Decoder decode = header->decoder();
  const std::size_t size = decode.size<Elf64_Ehdr, Elf32_Ehdr>();
  if (head->size() < size) return truncated("ELF header", 0, size, window.file_size());
  const auto get = [&](auto wide, auto narrow) { return decode.field(at, wide, narrow); };
  header->type = static_cast<std::uint16_t>(get(&Elf64_Ehdr::e_type, &Elf32_Ehdr::e_type));
  header->machine = static_cast<std::uint16_t>(get(&Elf64_Ehdr::e_machine, &Elf32_Ehdr::e_machine));
  header->current_version &= get(&Elf64_Ehdr::e_version, &Elf32_Ehdr::e_version) == EV_CURRENT;
  header->segments_offset = get(&Elf64_Ehdr::e_phoff, &Elf32_Ehdr::e_phoff);
  header->segment_size = static_cast<std::uint16_t>(get(&Elf64_Ehdr::e_phentsize, &Elf32_Ehdr::e_phentsize));
  header->segment_count = static_cast<std::uint16_t>(get(&Elf64_Ehdr::e_phnum, &Elf32_Ehdr::e_phnum));
  const std::uint64_t sections =
      get(&Elf64_Ehdr::e_shnum, &Elf32_Ehdr::e_shnum) * get(&Elf64_Ehdr::e_shentsize, &Elf32_Ehdr::e_shentsize);
  const std::uint64_t sections_offset = get(&Elf64_Ehdr::e_shoff, &Elf32_Ehdr::e_shoff);
  if (sections_offset != 0 && !inside(sections_offset, sections, window.file_size())) {
    header->section_headers_cut = truncated("section headers", sections_offset, sections, window.file_size());
  }
  return header;
}

bool is_native(const Header& header) {
  return header.machine == kNativeMachine && header.bits == static_cast<int>(sizeof(void*) * 8) &&
         header.little_endian == (std::endian::native == std::endian::little);
}

Result<void> check_header(const Header& header) {
  if (!header.current_version) return damaged("ELF header", "version 1", "another version");
  if (!header.clean_padding) return damaged("ELF header", "zeros in the padding of e_ident", "other bytes");
  if (header.type != ET_DYN && header.type != ET_EXEC) return not_a_library(type_name(header.type));
  const std::size_t size = header.decoder().size<Elf64_Phdr, Elf32_Phdr>();
  if (header.segment_size != size) {
    return damaged("ELF header", fmt::format("program headers of {} bytes", size),
                   fmt::format("{} bytes", header.segment_size));
  }
  return {};
}

}  // namespace myops::elf
