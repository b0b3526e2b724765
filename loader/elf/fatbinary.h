// Which GPU architectures a library holds code for: from the fat binaries that nvcc puts into its section .nv_fatbin.
//
// NVIDIA documents what is in them (CUDA Binary Utilities, "cuobjdump"), not their layout. What is read here is what
// nvcc 11 to 13 write, alike in each: a container is a header (u32 magic 0xba55ed50, u16 version, u16 size of the
// header, u64 size of the entries) and entries one behind the other (u16 kind: 1 PTX, 2 machine code; u16 version, u32
// size of the header, u64 size of the content; at 28 u32 architecture, at 40 u64 flags). Contents may be compressed,
// headers are not. Other kinds are passed over.
#pragma once

#include <string>
#include <vector>

#include "loader/elf/bytes.h"
#include "loader/reason.h"

namespace myops::elf {

// As manifests name them: "75", "90a" (that GPU alone), "100f" (that family alone). Ascending, each once.
struct Architectures {
  std::vector<std::string> sm;   // machine code
  std::vector<std::string> ptx;  // code that a driver can translate
};

struct DeviceCode {
  bool present = false;  // there is a section with a fat binary
  Architectures all;     // whatever any container has
  // Of the containers, one for each source file that nvcc compiled: each different set once. None where all have the
  // same.
  std::vector<Architectures> parts = {};
};

// Nothing where there is no such section, or no section headers at all. Errors: those of the ELF header; truncated,
// damaged (the section contradicts itself), too-large (more entries than any compiler writes), unreadable.
Result<DeviceCode> read_device_code(const Bytes& bytes);

}  // namespace myops::elf
