// Which torch everything is judged against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/world.h"

namespace myops::system {

struct TorchChoice {
  std::optional<rules::TorchFacts> torch;
  std::vector<std::string> notes;  // doubts, for the report
};

// Whom the judgement is for: this process, or one on the machine of a --host file, which shares nothing with it.
enum class Machine { kThis, kAnother };

// The torch mapped in this process (where its files are no longer those that run, only what its memory tells); else the
// one at `named` (--torch, MYOPS_TORCH: the package folder, its lib folder or a libtorch root); else the environment's.
// For another machine `named` comes first, and of this process's torch only its files count. Where none is found
// anywhere, an answer without torch. Error: torch-not-found, where `named` is no torch. Opens nothing.
Result<TorchChoice> choose_torch(const std::string& named, Machine machine = Machine::kThis);

}  // namespace myops::system
