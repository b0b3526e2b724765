#include "loader/bridge/torch_facts.h"

#include <caffe2/core/common.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <cstdint>
#include <string>

namespace myops::bridge {
namespace {

// One byte each for major, minor and patch, from the top (torch/headeronly/version.h). An inline constant of a header
// would tell the torch this file was compiled against; this is a function of the library that runs.
std::string version_text(std::uint64_t abi_version) {
  const auto byte = [&](int shift) { return std::to_string(abi_version >> shift & 0xff); };
  return byte(56) + "." + byte(48) + "." + byte(40);
}

std::string build_option(const std::string& name) {
  const auto& options = caffe2::GetBuildOptions();
  const auto found = options.find(name);
  return found == options.end() ? std::string{} : found->second;
}

}  // namespace

nlohmann::json torch_facts() {
  return {{"version", version_text(aoti_torch_abi_version())},
          {"git", build_option("COMMIT_SHA")},
          {"cuda", build_option("CUDA_VERSION")},
          {"cxx11_abi", _GLIBCXX_USE_CXX11_ABI ? "new" : "old"}};
}

}  // namespace myops::bridge
