#include "loader/check_family.h"

#include <algorithm>
#include <cstddef>

namespace myops {
namespace {

// Sources of loader/rules whose reasons they are.
// identity_checks.cpp, and what reading the file comes upon
constexpr Code kIdentity[] = {Code::kNotALibrary, Code::kTruncated, Code::kDamaged,          Code::kUnreadable,
                              Code::kTooLarge,    Code::kNoexec,    Code::kWrongArchitecture};
// cpu_checks.cpp
constexpr Code kCpu[] = {Code::kIsaLevelMissing};
// manifest_checks.cpp
constexpr Code kManifest[] = {Code::kForeign, Code::kManifestDamaged, Code::kManifestNewer, Code::kUnstamped};
// torch_checks.cpp
constexpr Code kTorch[] = {Code::kTorchNotFound, Code::kTorchVersionMismatch, Code::kTorchTooOld, Code::kAbiMismatch};
// cuda_checks.cpp
constexpr Code kCuda[] = {Code::kTorchIsRocm,  Code::kCudaNotInTorch, Code::kCudaVersionMismatch, Code::kNoGpu,
                          Code::kDriverTooOld, Code::kGpuArchMissing, Code::kTorchCudaNotLoaded};
// dependency_checks.cpp
constexpr Code kDependencies[] = {Code::kDependencyMissing, Code::kSymbolMissing, Code::kSymbolVersionMissing};
// trust_checks.cpp, lock_checks.cpp
constexpr Code kTrust[] = {Code::kWorldWritable, Code::kUntrusted, Code::kNotInLock, Code::kHashMismatch};
// *_rules.cpp, duplicates.cpp, plan.cpp
constexpr Code kSet[] = {Code::kSchemaMissing,        Code::kSchemaMismatch, Code::kSignatureMismatch,
                         Code::kInplaceOrViewMissing, Code::kNamespaceTaken, Code::kOperatorConflict,
                         Code::kKernelConflict,       Code::kNotQuiescent,   Code::kDuplicate,
                         Code::kSuperseded,           Code::kMixedRelease};
// judge.cpp, requirement.cpp, and the reader of options
constexpr Code kRequest[] = {Code::kDisabled, Code::kKeyNotServed, Code::kBadOption};
// verify.cpp, and loader/system
constexpr Code kLoad[] = {Code::kChangedWhileLoading, Code::kOpenFailed, Code::kKernelNotRegistered,
                          Code::kInternalError};

constexpr CheckFamily kFamilies[] = {
    {"identity", "Is it a library for this machine, and can it be read and mapped?", kIdentity},
    {"cpu", "Does the CPU offer the instructions it was compiled for?", kCpu},
    {"manifest", "Does it carry a valid manifest?", kManifest},
    {"torch", "Was it built for this torch?", kTorch},
    {"cuda", "If it is for CUDA: are there a GPU, a driver and a torch that can run it?", kCuda},
    {"dependencies", "Would the dynamic linker find all it needs?", kDependencies},
    {"trust", "Who else could have written it, and is it what the lock file says?", kTrust},
    {"set", "Does it go together with the other libraries?", kSet},
    {"request", "Is it what was asked for?", kRequest},
    {"load", "Did opening it go as it should?", kLoad},
};

constexpr std::size_t families_with(Code code) {
  std::size_t count = 0;
  for (const CheckFamily& family : kFamilies) {
    for (const Code member : family.codes) count += member == code ? 1 : 0;
  }
  return count;
}

#define X(enumerator, token, meaning) \
  static_assert(families_with(Code::enumerator) == 1, "a code is in exactly one family: " token);
MYOPS_REASON_CODES(X)
#undef X

}  // namespace

std::span<const CheckFamily> check_families() { return kFamilies; }

const CheckFamily& family_of(Code code) {
  return *std::ranges::find_if(kFamilies, [&](const CheckFamily& family) {
    return std::ranges::find(family.codes, code) != family.codes.end();
  });
}

}  // namespace myops
