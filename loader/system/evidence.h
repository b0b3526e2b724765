// Reads one candidate: its ELF facts, its manifest, and what the dynamic linker would find missing in it. Runs nothing
// of it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "loader/link/closure.h"
#include "loader/rules/verdict.h"
#include "loader/rules/world.h"
#include "loader/system/link_environment.h"

namespace myops::system {

// For many candidates against one machine and one torch; torch's libraries are read when the first of them needs it.
// Not for use by two threads at once; starts some itself for many files.
class Examiner {
 public:
  // `resolve_foreign`: what is not taken in any case is resolved too: files without a manifest, and the symbols of CUDA
  // libraries on a machine without a GPU (unless `takes_without_gpu`).
  // `lock`: of the files that it lists the content is hashed.
  Examiner(rules::HostFacts host, std::optional<rules::TorchFacts> torch, bool resolve_foreign,
           bool takes_without_gpu = false, std::shared_ptr<const rules::Lock> lock = nullptr)
      : host_(std::move(host)),
        torch_(std::move(torch)),
        resolve_foreign_(resolve_foreign),
        takes_without_gpu_(takes_without_gpu),
        lock_(std::move(lock)) {}

  // Of each file, in their order. What stops the reading, whatever it is, is in the answer. Files of a large folder are
  // read side by side.
  std::vector<rules::Evidence> examine(std::vector<rules::CandidateFile> files);
  rules::Evidence examine(rules::CandidateFile file);

  const rules::HostFacts& host() const { return host_; }
  const std::optional<rules::TorchFacts>& torch() const { return torch_; }

 private:
  struct World {
    link::Reader read;
    link::Environment environment;
  };
  // By any thread: reads the file into a buffer that the thread keeps. Is what the file needs to be looked up?
  bool read(rules::Evidence& evidence, std::vector<std::byte>& start) const;
  // Is what the file needs looked up?
  bool follows(const elf::ElfFacts& identity, rules::Evidence& evidence) const;
  bool are_symbols_proven(const elf::ElfFacts& elf, const rules::Evidence& evidence) const;
  // Is it enough to look up the names of libraries, and versions?
  bool do_names_suffice(const elf::ElfFacts& elf, const rules::Evidence& evidence) const;
  void add_missing(rules::Evidence& evidence);
  World& world(Reading reading);

  rules::HostFacts host_;
  std::optional<rules::TorchFacts> torch_;
  bool resolve_foreign_;
  bool takes_without_gpu_;
  std::shared_ptr<const rules::Lock> lock_;
  std::optional<World> names_, symbols_;
};

}  // namespace myops::system
