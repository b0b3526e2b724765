#include "loader/system/stamp_cuda.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "loader/rules/version.h"

namespace myops::system {
namespace {

constexpr std::string_view kRuntime = "libcudart.so.";

bool is_of_cuda(std::string_view needed) {
  return needed.starts_with(kRuntime) || needed.starts_with("libcuda.so") || needed.starts_with("libc10_cuda.so") ||
         needed.starts_with("libtorch_cuda");
}

// "13" for libcudart.so.13.
std::string runtime_needed(const elf::ElfFacts& elf) {
  for (const std::string& needed : elf.needed) {
    if (needed.starts_with(kRuntime)) return needed.substr(kRuntime.size());
  }
  return {};
}

Reason wrong_runtime(std::string expected, std::string found) {
  return {.code = Code::kBadOption,
          .subject = "--cuda-runtime",
          .expected = std::move(expected),
          .found = std::move(found),
          .hint = "give the version of the CUDA toolkit that compiled it"};
}

}  // namespace

Result<std::optional<rules::Manifest::Cuda>> cuda_part(const elf::ElfFacts& elf, const elf::DeviceCode& code,
                                                       const std::string& given, const std::string& torch_cuda) {
  if (!code.present && std::none_of(elf.needed.begin(), elf.needed.end(), is_of_cuda)) {
    if (!given.empty()) return wrong_runtime("a library that needs CUDA", "none of its libraries and no device code");
    return std::optional<rules::Manifest::Cuda>{};
  }
  const std::string needed = runtime_needed(elf);
  if (!given.empty()) {
    const auto version = rules::parse_version(given);
    if (!version) return wrong_runtime("a version like 13.0", given);
    const auto major = rules::parse_version(needed);
    if (major && major->major() != version->major()) {
      return wrong_runtime("version " + needed + ", as it needs " + std::string(kRuntime) + needed, given);
    }
  }
  const std::string& runtime = !given.empty() ? given : !needed.empty() ? needed : torch_cuda;
  if (runtime.empty()) return wrong_runtime("the version of its CUDA runtime", "none");
  rules::Manifest::Cuda cuda{runtime, {code.all.sm, code.all.ptx}};
  for (const elf::Architectures& part : code.parts) cuda.parts.push_back({part.sm, part.ptx});
  return std::optional(std::move(cuda));
}

}  // namespace myops::system
