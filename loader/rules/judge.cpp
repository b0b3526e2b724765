// Asks every family of checks about one file and sums up.
#include <algorithm>

#include "loader/rules/checks.h"
#include "loader/rules/choice.h"

namespace myops::rules {
namespace {

constexpr void (*kChecks[])(const Question&, Judgement&) = {
    check_identity, check_cpu_level,    check_manifest, check_torch,
    check_cuda,     check_dependencies, check_trust,    check_lock,
};

std::string name_of(const Evidence& evidence) {
  return evidence.manifest ? evidence.manifest->name : component_name(evidence.file.path);
}

// A readable library for this machine without a manifest note.
bool is_foreign(const Question& question) {
  const Evidence& evidence = question.evidence;
  return !evidence.file.error && !evidence.manifest && !evidence.manifest_error &&
         is_for_this_machine(evidence, question.host);
}

std::optional<bool> would_load(const Question& question, const Judgement& judgement) {
  if (judgement.cannot_open) return false;
  if (!question.torch || judgement.unproven) return std::nullopt;
  return question.evidence.resolved ? std::optional<bool>(true) : std::nullopt;
}

// The entry of `disable` that means this library; "" for none.
std::string disabled_by(const Request& request, const Verdict& verdict) {
  for (const std::string& entry : request.disable) {
    if (disables(entry, verdict)) return entry;
  }
  return "";
}

bool is_skipped(const Reason& reason, const Request& request) {
  return std::find(request.skip.begin(), request.skip.end(), reason.code) != request.skip.end();
}

VerdictKind kind_of(const Verdict& verdict, bool foreign, bool disabled) {
  if (foreign) return VerdictKind::kForeign;
  if (disabled) return VerdictKind::kDisabled;
  return verdict.reasons.empty() ? VerdictKind::kUsable : VerdictKind::kRejected;
}

}  // namespace

std::string_view to_text(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kUsable:
      return "usable";
    case VerdictKind::kRejected:
      return "rejected";
    case VerdictKind::kForeign:
      return "foreign";
    case VerdictKind::kSuperseded:
      return "superseded";
    case VerdictKind::kDisabled:
      break;
  }
  return "disabled";
}

std::vector<std::string> skip(std::vector<Reason>& reasons, const Request& request) {
  std::vector<std::string> notes;
  std::erase_if(reasons, [&](const Reason& reason) {
    if (!is_skipped(reason, request)) return false;
    notes.push_back("not minded, as MYOPS_SKIP_CHECK has it: " + to_text(reason));
    return true;
  });
  return notes;
}

Verdict judge(Evidence evidence, const HostFacts& host, const std::optional<TorchFacts>& torch,
              const Request& request) {
  const Question question{evidence, host, torch ? &*torch : nullptr, request};
  const bool foreign = is_foreign(question);
  Judgement judgement;
  if (foreign) judgement.reasons.push_back({Code::kForeign, name_of(evidence), "", "", ""});
  for (const auto check : kChecks) check(question, judgement);

  Verdict verdict;
  verdict.name = name_of(evidence);
  verdict.cpu_level = needed_cpu_level(evidence);
  verdict.build_id = evidence.elf ? evidence.elf->build_id : "";
  verdict.loads = would_load(question, judgement);
  verdict.reasons = std::move(judgement.reasons);
  verdict.file = std::move(evidence.file);
  verdict.manifest = std::move(evidence.manifest);
  verdict.notes = std::move(evidence.notes);
  verdict.notes.insert(verdict.notes.end(), judgement.notes.begin(), judgement.notes.end());
  const auto skipped = skip(verdict.reasons, request);
  verdict.unchecked = !skipped.empty();
  verdict.notes.insert(verdict.notes.end(), skipped.begin(), skipped.end());
  const std::string disabled = disabled_by(request, verdict);
  if (!disabled.empty()) verdict.reasons.push_back({Code::kDisabled, verdict.name, "", disabled, ""});
  verdict.kind = kind_of(verdict, foreign, !disabled.empty());
  return verdict;
}

}  // namespace myops::rules
