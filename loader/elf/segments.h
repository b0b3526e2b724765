// The program headers (gABI, "Program Header"): what is mapped from where, and the way from an address to the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loader/elf/header.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

struct Segment {
  std::uint32_t type = 0;   // PT_*
  std::uint32_t flags = 0;  // PF_*
  std::uint64_t offset = 0;
  std::uint64_t address = 0;
  std::uint64_t file_size = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t alignment = 0;
};

// A run of bytes of the file.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Segments {
 public:
  // Reads and checks them: what the linker reads lies inside the file; every PT_LOAD can be mapped in pages
  // (elf/dl-load.c, _dl_map_object_from_fd), in ascending order and apart from the others. Errors: truncated, damaged,
  // unreadable.
  static Result<Segments> read(Window& window, const Header& header);

  const std::vector<Segment>& all() const { return all_; }
  // PT_LOAD only, in ascending order of address.
  const std::vector<Segment>& loaded() const { return loaded_; }

  // The bytes of the file that are mapped from `address` to the end of its segment; nothing where no byte of the file
  // is.
  std::optional<Extent> extent_at(std::uint64_t address) const;

  // The one segment that maps all of [address, address + size), with these PF_* at the least; null where none does.
  const Segment* holding(std::uint64_t address, std::uint64_t size, std::uint32_t flags) const;
  bool holds(std::uint64_t address, std::uint64_t size, std::uint32_t flags) const {
    return holding(address, size, flags) != nullptr;
  }

  // The largest page size that the segments can be mapped with: what divides every difference of address and offset.
  std::uint64_t largest_page() const;

  // Where the content of a segment lies: through its address, as the linker sees it, if it is mapped, else at its
  // offset. Clipped to the file.
  Extent content_of(const Segment& segment, std::uint64_t file_size) const;

 private:
  // The PT_LOAD that begins last at or before `address`.
  const Segment* before(std::uint64_t address) const;

  std::vector<Segment> all_;
  std::vector<Segment> loaded_;
};

}  // namespace myops::elf
