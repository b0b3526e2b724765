#include "loader/system/stamp_measure.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

#include "loader/system/apply.h"
#include "loader/system/bridge.h"
#include "loader/system/facts_cache.h"
#include "loader/system/open.h"
#include "loader/system/stamp.h"
#include "loader/system/stamp_exchange.h"
#include "loader/system/torch.h"
#include "loader/system/turn.h"

namespace myops::system {
namespace {

// What else the plugin needs of torch's folder (libc10_cuda.so, libtorch_cuda.so, …) is in no default place.
std::optional<Reason> open_needed_of_torch(const std::string& file, const rules::TorchFacts& torch) {
  const auto facts = facts_cache().read(file, elf::Depth::kIdentity);
  if (!facts) return facts.error();
  for (const auto& needed : (*facts)->needed) {
    const auto path = torch.lib_dir + "/" + needed;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (auto failed = open_library(path)) return failed;
  }
  return std::nullopt;
}

Result<rules::TorchFacts> prepare(const MeasureOptions& options) {
  auto choice = choose_torch(options.torch_dir);
  if (!choice) return choice.error();
  if (!choice->torch) return Reason{Code::kTorchNotFound, options.torch_dir, "a torch to measure with", "none", ""};
  auto& torch = *choice->torch;
  if (!torch.mapped) {
    if (auto failed = open_torch(torch, open_library)) return *failed;
    torch.mapped = true;
  }
  for (const auto& file : {options.schema, options.file}) {
    if (file.empty()) continue;
    if (auto failed = open_needed_of_torch(file, torch)) return *failed;
  }
  if (!options.schema.empty()) {
    if (auto failed = open_library(options.schema)) return *failed;
  }
  return torch;
}

// What is thrown is an answer too: left to end the process, it would be blamed on the plugin.
Result<Registrations> try_to_measure(const std::string& argument) {
  try {
    const auto options = parse_measure_options(argument);
    if (!options) return options.error();
    return measure(*options);
  } catch (const std::exception& error) {
    return Reason{Code::kInternalError, "the loader", "", error.what(), ""};
  }
}

}  // namespace

Result<Registrations> measure(const MeasureOptions& options) {
  const Turn turn;  // what is loaded between the snapshots would count as the plugin's
  const auto torch = prepare(options);
  if (!torch) return torch.error();
  SnapshotRequest everything;
  everything.everything = true;
  everything.signatures = false;
  const auto before = snapshot(*torch, everything, {});
  if (!before) return before.error();
  if (auto failed = open_library(options.file)) return *failed;
  auto after = snapshot(*torch, everything, {});
  if (!after) return after.error();
  SnapshotRequest added;
  added.kernels = new_kernels(*before, *after);
  auto its_own = snapshot(*torch, added, {});
  if (!its_own) return its_own.error();
  after->cpp = std::move(its_own->cpp);
  after->cpp_symint = std::move(its_own->cpp_symint);
  return difference(*before, *after);
}

int measure_and_print(const std::string& argument) {
  std::fflush(stdout);
  // The answer alone goes to stdout: what constructors print there is sent after the error messages.
  const int answer = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::string text = to_text(try_to_measure(argument));
  std::fflush(stdout);
  std::cout.flush();
  ::dup2(answer, STDOUT_FILENO);
  ::close(answer);
  std::cout << text << std::flush;
  return std::cout.good() ? 0 : 1;
}

}  // namespace myops::system
