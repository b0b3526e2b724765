// The "cuda" part of a manifest: from what a library needs and the device code it holds. Pure.
#pragma once

#include <optional>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/elf/fatbinary.h"
#include "loader/rules/manifest.h"

namespace myops::system {

// None for a library that needs no library of CUDA's and holds no device code: it opens anywhere. `given` is the
// runtime version that was named ("13.0"; "" for none). The file itself tells the major version only, in the name of
// libcudart.so.13: that is what is taken where none was named, and else the version that torch was built for.
//
// Error: bad-option, where the version named contradicts the file, or none is known.
Result<std::optional<rules::Manifest::Cuda>> cuda_part(const elf::ElfFacts& elf, const elf::DeviceCode& code,
                                                       const std::string& given, const std::string& torch_cuda);

}  // namespace myops::system
