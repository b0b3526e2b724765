// Looks a symbol up in one file as glibc does (elf/dl-lookup.c: do_lookup_x, check_match). Pure.
#pragma once

#include <cstdint>

#include "loader/elf/elf_facts.h"
#include "loader/link/closure.h"

namespace myops::link {

enum class LookupAnswer {
  kDefined,
  kAbsent,
  kUnknown,  // the file's symbols were not read
  kAborts,  // defined, but the reference has a version from this very file, and the file has no versions: glibc asserts
};

// Whether `object` answers the reference `import`; `hash` is elf::ExportIndex::hash(import.name).
//
// With a version: the same version; or a symbol without one, unless either side is marked hidden; or any, in a file
// without versions. Without one: the symbol of the base or of the first version, else the default of later ones if
// there is exactly one.
LookupAnswer look_up(const Object& object, const elf::Symbol& import, std::uint64_t hash);

}  // namespace myops::link
