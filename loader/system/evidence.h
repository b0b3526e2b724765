// Reads one candidate: its ELF facts, its manifest, and what the dynamic linker would find missing in it. Runs nothing
// of it.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "loader/link/closure.h"
#include "loader/rules/verdict.h"
#include "loader/rules/world.h"
#include "loader/system/link_environment.h"

namespace myops::system {

// For many candidates against one machine and one torch; torch's libraries are read when the first of them needs it.
// Not for use by two threads at once.
class Examiner {
 public:
  // `resolve_foreign`: what is not taken in any case is resolved too: files without a manifest, and the symbols of CUDA
  // libraries on a machine without a GPU (unless `takes_without_gpu`).
  Examiner(rules::HostFacts host, std::optional<rules::TorchFacts> torch, bool resolve_foreign,
           bool takes_without_gpu = false)
      : host_(std::move(host)),
        torch_(std::move(torch)),
        resolve_foreign_(resolve_foreign),
        takes_without_gpu_(takes_without_gpu) {}

  // What stops the reading, whatever it is, is in the answer.
  rules::Evidence examine(rules::CandidateFile file);

  const rules::HostFacts& host() const { return host_; }
  const std::optional<rules::TorchFacts>& torch() const { return torch_; }

 private:
  struct World {
    link::Reader read;
    link::Environment environment;
  };
  void read(rules::Evidence& evidence);
  // Is what the file needs looked up?
  bool follows(const elf::ElfFacts& identity, rules::Evidence& evidence) const;
  void add_missing(rules::Evidence& evidence);
  World& world(Reading reading);

  rules::HostFacts host_;
  std::optional<rules::TorchFacts> torch_;
  bool resolve_foreign_;
  bool takes_without_gpu_;
  std::optional<World> names_, symbols_;
  std::vector<std::byte> start_;  // of the file that is read
};

}  // namespace myops::system
