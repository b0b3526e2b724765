// What a torch on disk says of itself: version, CUDA, ABI, build-ids. Reads its files; opens no library, runs nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "loader/reason.h"
#include "loader/rules/world.h"

namespace myops::system {

// The folder of libc10.so and libtorch_cpu.so for a `torch` package folder, its lib folder, or the root of a libtorch
// archive; none where `folder` is no such.
std::optional<std::string> torch_library_folder(const std::string& folder);

// What need not be read of a torch's files, since its libraries are in this process.
struct TorchInMemory {
  std::map<std::string, std::string> build_ids;  // "libtorch_cpu.so" → hex
  std::string cxx11_abi;                         // "new", "old"; "" not known
};

// In a name of libc10's string table: built with libstdc++'s new ABI, which marks its types in mangled names. Both
// kinds of libc10 export functions that take std::string.
inline constexpr std::string_view kNewAbiMark = "__cxx11";

// The facts of the torch whose libraries lie in `lib_dir`; those of libc10 and libtorch_cpu are read in any case, since
// they tell whether the files are those of a torch in memory. Error: torch-not-found, where its version is not to be
// learnt.
Result<rules::TorchFacts> read_torch(const std::string& lib_dir, const TorchInMemory& in_memory = {});

// What torch/version.py, or the build-version file of a libtorch archive, states. Pure.
struct VersionText {
  std::string version;  // "2.15.0", "2.16.0.dev20261101": without the local part ("+cu132")
  std::string git, cuda, hip;
};
VersionText parse_version_py(std::string_view text);
VersionText parse_build_version(std::string_view text);

}  // namespace myops::system
