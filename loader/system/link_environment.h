// The world of the dynamic linker that a plugin is opened in: a process that has torch loaded.
//
// Where torch is mapped that is this process. Elsewhere `import torch` (or opening libtorch_cpu, for a torch without
// Python) is followed on paper, from torch's files. Opens and runs nothing.
#pragma once

#include <string>

#include "loader/link/closure.h"
#include "loader/rules/world.h"

namespace myops::system {

// How much is read of the libraries around.
enum class Reading {
  kNames,  // where equal build-ids prove the symbols: SONAMEs and needed files, and the versions of all but torch's own
           // libraries (and of what is installed beside them, such as the nvidia packages)
  kSymbols,  // everything
};

// Reads facts for gather_closure() through the process's cache. Files for other machines count as absent, as they do
// for glibc.
link::Reader facts_reader(const rules::HostFacts& host, const rules::TorchFacts& torch, Reading reading);

// With Reading::kNames what this process has mapped is left `unread`: it answers to its name, and read_needed() asks
// the memory of the few whose versions are needed.
link::Environment link_environment(const rules::HostFacts& host, const rules::TorchFacts& torch,
                                   const link::Reader& read, Reading reading);

// Reads what `closure`, gathered in the environment, needs versions of.
void read_needed(const link::Closure& closure, link::Environment& environment);

}  // namespace myops::system
