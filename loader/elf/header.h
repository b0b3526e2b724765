// The ELF header (gABI, "ELF Header"): what the file is for, and where its program headers are.
#pragma once

#include <cstdint>
#include <optional>

#include "loader/elf/decoder.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

struct Header {
  int bits = 0;
  bool little_endian = true;
  std::uint8_t os_abi = 0;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint64_t segments_offset = 0;          // e_phoff
  std::uint16_t segment_size = 0;             // e_phentsize
  std::uint16_t segment_count = 0;            // e_phnum
  bool current_version = true;                // EI_VERSION and e_version
  bool clean_padding = true;                  // EI_ABIVERSION and EI_PAD are zero
  std::optional<Reason> section_headers_cut;  // why, where e_shoff and e_shnum reach beyond the end

  Decoder decoder() const { return Decoder(bits, little_endian); }
};

// Errors: not-a-library (no ELF magic), truncated (shorter than the header), damaged (no such class or byte order),
// unreadable.
Result<Header> read_header(Window& window);

// Whether the file is of the machine, class and byte order that this reader was built for.
bool is_native(const Header& header);

// What glibc asks of a header besides (elf/dl-load.c, open_verify); not-a-library for object files and core dumps.
Result<void> check_header(const Header& header);

}  // namespace myops::elf
