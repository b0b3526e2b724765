// What each reason reads like: one sentence for a person, made of the reason's facts.
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "loader/printable.h"
#include "loader/reason.h"

namespace myops {
namespace {

struct Sentence {
  Code code;
  std::string_view pattern;
};

// In the order of the codes. {subject}, {expected} and {found} are the reason's fields; a part in [brackets] falls away
// where a field in it is empty.
constexpr Sentence kSentences[] = {
    {Code::kNotALibrary, "not a shared library[: it is {found}]"},
    {Code::kTruncated, "the file ends too early[: {subject}][, needs {expected}][, has {found}]"},
    {Code::kDamaged, "its headers are damaged[: {subject}][, expected {expected}][, found {found}]"},
    {Code::kUnreadable, "[{subject} ]cannot be read[: {found}]"},
    {Code::kTooLarge, "[its {subject} ]is too large to be read[: at most {expected}][, found {found}]"},
    {Code::kNoexec, "lies on a mount that forbids executable mappings[: {subject}]"},
    {Code::kWrongArchitecture, "[for {found}][, this is {expected}]"},
    {Code::kIsaLevelMissing, "needs CPU level[ {expected}][, this machine offers {found}][ (says its {subject})]"},
    {Code::kForeign, "not a myops library, it carries no manifest[: {subject}]"},
    {Code::kManifestDamaged, "its manifest is damaged[ at {subject}][: expected {expected}][, found {found}]"},
    {Code::kManifestNewer, "its manifest has[ format {found}][, this loader knows {expected}]"},
    {Code::kTorchNotFound, "[{subject}: ]no torch was found[, expected {expected}][, found {found}]"},
    {Code::kTorchVersionMismatch, "[built for torch {expected}][, this is {found}]"},
    {Code::kTorchTooOld, "[needs torch >= {expected}][, this is {found}]"},
    {Code::kTorchIsRocm, "[built for CUDA {expected}, and ]this torch is a ROCm build[ ({found})]"},
    {Code::kAbiMismatch, "[built with the {expected} C++ ABI][, this torch has the {found} one]"},
    {Code::kDependencyMissing, "[needs {subject}][, named by {expected}], not found[ in {found}]"},
    {Code::kSymbolMissing, "[needs {subject}][ of {expected}], not defined[ in {found}]"},
    {Code::kSymbolVersionMissing, "[needs {subject}][ of {expected}], not offered[ by {found}]"},
    {Code::kCudaNotInTorch, "[needs a torch with CUDA {expected}, and ]this torch has none[: {found}]"},
    {Code::kCudaVersionMismatch, "[built for CUDA {expected}][, this torch for CUDA {found}]"},
    {Code::kNoGpu, "needs an NVIDIA GPU[: {found}]"},
    {Code::kDriverTooOld, "[needs NVIDIA driver {expected} or newer][, this is {found}]"},
    {Code::kGpuArchMissing, "[holds GPU code for {expected}][, and {subject}][ is {found}]"},
    {Code::kSchemaMissing, "nothing defines[ {subject}][: {found}]"},
    {Code::kSchemaMismatch, "[made for {expected}][, here it is {found}]"},
    {Code::kSignatureMismatch, "[{subject}: ]its C++ signature[ is {found}][, expected {expected}]"},
    {Code::kUnstamped, "its manifest was never written[: {subject}]"},
    {Code::kInplaceOrViewMissing, "[{subject} ]mutate or view, without kernels on ADInplaceOrView[: {found}]"},
    {Code::kTorchCudaNotLoaded, "libtorch_cuda is not in this process[: {found}]"},
    {Code::kNamespaceTaken, "[namespace {subject} ]is defined already[: {found}]"},
    {Code::kOperatorConflict, "[{subject} ]is defined already[: {found}]"},
    {Code::kKernelConflict, "[{subject} ]has a kernel already[: {found}]"},
    {Code::kNotQuiescent, "[{subject} ]may be running, and would get kernels[ in place of {found}]"},
    {Code::kDuplicate, "the same library as[ {found}]"},
    {Code::kSuperseded, "a better variant was taken[: {found}]"},
    {Code::kDisabled, "switched off[ by {found}]"},
    {Code::kMixedRelease, "[from release {found}][, its set is {expected}]"},
    {Code::kWorldWritable, "[{subject} ]can be written by anyone[ ({found})]"},
    {Code::kUntrusted, "[{subject} ]is not trusted[: expected {expected}][, found {found}]"},
    {Code::kNotInLock, "not listed in the lock file[ {expected}]"},
    {Code::kHashMismatch, "[its hash is {found}][, the lock file states {expected}]"},
    {Code::kChangedWhileLoading, "changed after it was judged[: {subject}][, was {expected}][, is {found}]"},
    {Code::kOpenFailed, "[{subject}: ]it could not be opened[: {found}]"},
    {Code::kKernelNotRegistered, "[{subject} ]is not what was promised[: expected {expected}][, found {found}]"},
    {Code::kKeyNotServed, "nothing serves[ {subject}][ for {expected}][: {found}]"},
    {Code::kBadOption, "[{subject} ]is not valid[: expected {expected}][, found {found}]"},
    {Code::kInternalError, "the loader itself failed[: {found}]"},
};

constexpr std::size_t kCodeCount = 0
#define X(enumerator, token, meaning) +1
    MYOPS_REASON_CODES(X)
#undef X
    ;

constexpr bool each_code_has_its_row() {
  for (std::size_t i = 0; i < std::size(kSentences); ++i) {
    if (static_cast<std::size_t>(kSentences[i].code) != i) return false;
  }
  return std::size(kSentences) == kCodeCount;
}
static_assert(each_code_has_its_row(), "kSentences has one row a code, in the order of MYOPS_REASON_CODES");

const std::string& field(const Reason& reason, std::string_view name) {
  if (name == "subject") return reason.subject;
  return name == "expected" ? reason.expected : reason.found;
}

// Text of several lines, such as torch's own words, as one.
std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line += text.substr(0, end);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of("\n "), text.size()));
    if (!line.empty() && !text.empty()) line += " | ";
  }
  return line;
}

// Appends `pattern` with its fields filled in; false where one of them is empty.
bool append_filled(std::string& out, std::string_view pattern, const Reason& reason) {
  bool complete = true;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    out += pattern.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = pattern.find('}', open);
    const std::string& value = field(reason, pattern.substr(open + 1, close - open - 1));
    complete = complete && !value.empty();
    out += printable(one_line(value));
    pattern.remove_prefix(close + 1);
  }
  return complete;
}

std::string fill(std::string_view pattern, const Reason& reason) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('[');
    append_filled(out, pattern.substr(0, open), reason);
    if (open == std::string_view::npos) break;
    const std::size_t close = pattern.find(']', open);
    std::string part;
    if (append_filled(part, pattern.substr(open + 1, close - open - 1), reason)) out += part;
    pattern.remove_prefix(close + 1);
  }
  out.erase(0, out.find_first_not_of(", "));  // the part before may have fallen away
  return out;
}

}  // namespace

std::string to_text(const Reason& reason) {
  std::string text = fill(kSentences[static_cast<std::size_t>(reason.code)].pattern, reason);
  const bool has_facts = !reason.subject.empty() || !reason.expected.empty() || !reason.found.empty();
  if (!has_facts || text.empty()) text = meaning(reason.code);
  if (!reason.hint.empty()) text += "; " + printable(reason.hint);
  return std::string(token(reason.code)) + ": " + text;
}

}  // namespace myops
