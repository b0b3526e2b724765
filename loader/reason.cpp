// The table of codes. What a reason reads like is in reason_text.cpp.
#include "loader/reason.h"

#include <array>

namespace myops {
namespace {

struct Row {
  Code code;
  std::string_view token;
  std::string_view meaning;
};

constexpr Row kRows[] = {
#define X(enumerator, token, meaning) {Code::enumerator, token, meaning},
    MYOPS_REASON_CODES(X)
#undef X
};

constexpr auto kCodes = [] {
  std::array<Code, std::size(kRows)> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = kRows[i].code;
  return codes;
}();

}  // namespace

std::string_view token(Code code) { return kRows[static_cast<std::size_t>(code)].token; }

std::string_view meaning(Code code) { return kRows[static_cast<std::size_t>(code)].meaning; }

std::span<const Code> all_codes() { return kCodes; }

bool is_harmless(Code code) {
  switch (code) {
    case Code::kForeign:
    case Code::kSuperseded:
    case Code::kDisabled:
    case Code::kDuplicate:
    case Code::kNoGpu:
    case Code::kCudaNotInTorch:
    case Code::kTorchIsRocm:
    case Code::kIsaLevelMissing:
    case Code::kWrongArchitecture:
      return true;
    default:
      return false;
  }
}

bool is_skippable(Code code) {
  switch (code) {
    case Code::kIsaLevelMissing:
    case Code::kTorchVersionMismatch:
    case Code::kTorchTooOld:
    case Code::kTorchIsRocm:
    case Code::kAbiMismatch:
    case Code::kDependencyMissing:
    case Code::kSymbolMissing:
    case Code::kSymbolVersionMissing:
    case Code::kCudaNotInTorch:
    case Code::kCudaVersionMismatch:
    case Code::kNoGpu:
    case Code::kDriverTooOld:
    case Code::kGpuArchMissing:
    case Code::kSchemaMismatch:
    case Code::kMixedRelease:
    case Code::kInplaceOrViewMissing:
    case Code::kTorchCudaNotLoaded:
    case Code::kWorldWritable:
    case Code::kUntrusted:
      return true;
    default:
      return false;
  }
}

std::optional<Code> code_from_token(std::string_view text) {
  for (const Row& row : kRows) {
    if (row.token == text) return row.code;
  }
  return std::nullopt;
}

}  // namespace myops
