// What a torch on disk says of itself: version, CUDA, ABI, build-ids. Reads its files; opens no library, runs nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "loader/reason.h"
#include "loader/rules/world.h"

namespace myops::system {

// The folder of libc10.so and libtorch_cpu.so for a `torch` package folder, its lib folder, or the root of a libtorch
// archive; none where `folder` is no such.
std::optional<std::string> torch_library_folder(const std::string& folder);

// The facts of the torch whose libraries lie in `lib_dir`. Error: torch-not-found, where its version is not to be
// learnt.
Result<rules::TorchFacts> read_torch(const std::string& lib_dir);

// What torch/version.py, or the build-version file of a libtorch archive, states. Pure.
struct VersionText {
  std::string version;  // "2.15.0", "2.16.0.dev20261101": without the local part ("+cu132")
  std::string git, cuda, hip;
};
VersionText parse_version_py(std::string_view text);
VersionText parse_build_version(std::string_view text);

}  // namespace myops::system
