// Says what a file is that is no ELF file, from its first bytes. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace myops::elf {

// "a static archive", "a linker script: GROUP ( libx.so.1 )", "text: libmyops_cpu.so.1", "zero bytes only (an
// unfinished copy?)", … `head` holds at least one byte.
std::string describe_first_bytes(std::span<const std::byte> head);

}  // namespace myops::elf
