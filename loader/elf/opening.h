// What the linker does to a file once it is mapped, and the functions that it calls then. A fault in these ends the
// process: dlopen catches none of them.
//
// Sources: gABI, "Dynamic Section", "Relocation", "Initialization and Termination Functions"; glibc elf/dl-init.c,
// elf/do-rel.h, elf/dl-fini.c, sysdeps/x86_64/dl-machine.h.
#pragma once

#include "loader/elf/dynamic.h"
#include "loader/elf/header.h"
#include "loader/elf/segments.h"
#include "loader/elf/window.h"
#include "loader/reason.h"

namespace myops::elf {

// Its tables are mapped readable; each relocation is one that the linker knows, and writes where it can; those that
// DT_RELACOUNT counts are relative; initialisers and finalisers, and what is resolved at run time, lie in code. What
// such code does is nobody's to foresee. Knows the relocations of x86-64; of other machines nothing is said. Errors:
// damaged, too-large, unreadable.
Result<void> check_opening(const Window& window, const Header& header, const Segments& segments,
                           const Dynamic& dynamic);

}  // namespace myops::elf
