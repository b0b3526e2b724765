// Releases of torch match by minor version, development builds by git revision, the stable ABI by a least version.
#include "loader/rules/torch_checks.h"

#include <algorithm>
#include <iterator>

#include "loader/elf/elf_facts.h"
#include "loader/rules/checks.h"
#include "loader/rules/manifest_forms.h"
#include "loader/rules/version.h"

namespace myops::rules {
namespace {

bool needs_torch(const Evidence& evidence) {
  if (evidence.manifest) return true;
  return evidence.elf && std::any_of(evidence.elf->needed.begin(), evidence.elf->needed.end(), [](const auto& soname) {
           return soname.starts_with("libtorch") || soname.starts_with("libc10");
         });
}

void report_no_torch(const Question& question, Judgement& judgement) {
  const auto& manifest = question.evidence.manifest;
  const std::string& folder = question.request.torch_dir;
  judgement.reasons.push_back({Code::kTorchNotFound, "torch", manifest ? manifest->torch.version : "",
                               folder.empty() ? "none" : "none in " + folder,
                               "import torch first, name its folder with --torch or MYOPS_TORCH, or install it"});
}

// "2.16.0a0 (git 1a2b3c)" for development builds, where the number alone says little.
std::string build_text(const std::string& version, const std::string& git, bool with_git) {
  return with_git && !git.empty() ? version + " (git " + git + ")" : version;
}

void check_exact_version(const Manifest& manifest, const TorchFacts& torch, const Version& built,
                         const Version& present, Judgement& judgement) {
  const bool development = built.is_development() || present.is_development();
  const bool git_known = !manifest.torch.git.empty() && !torch.git.empty();
  const bool same_minor = built.minor_text() == present.minor_text();
  if (same_minor && !development) return;
  if (same_minor && !git_known) {
    judgement.notes.push_back("built for torch " + manifest.torch.version + ", this is " + torch.version +
                              ": without git revisions it cannot be told whether they are the same build");
    return;
  }
  if (development && git_known && manifest.torch.git == torch.git) return;
  judgement.reasons.push_back(
      {Code::kTorchVersionMismatch, "torch", build_text(manifest.torch.version, manifest.torch.git, development),
       build_text(torch.version, torch.git, development),
       "rebuild it for torch " + (development ? torch.version : present.minor_text()) + " or install that torch"});
}

void check_version(const Manifest& manifest, const TorchFacts& torch, Judgement& judgement) {
  if (is_same_torch_build(manifest, torch)) return;
  const auto present = parse_version(torch.version);
  const auto built = parse_version(manifest.torch.version);
  if (!present || !built) {
    judgement.notes.push_back("built for torch " + manifest.torch.version + ": the version of this torch is not known");
    return;
  }
  const std::string since = stable_since(manifest.torch.abi);
  if (since.empty()) return check_exact_version(manifest, torch, *built, *present, judgement);
  const auto least = parse_version(since);
  if (least && is_older(*present, *least)) {
    judgement.reasons.push_back(
        {Code::kTorchTooOld, "torch", since, torch.version, "install torch " + since + " or newer"});
  }
}

void check_cxx11_abi(const Manifest& manifest, const TorchFacts& torch, Judgement& judgement) {
  const std::string& built = manifest.torch.cxx11_abi;
  if (built.empty() || torch.cxx11_abi.empty() || built == torch.cxx11_abi) return;
  judgement.reasons.push_back(
      {Code::kAbiMismatch, "C++ ABI", built, torch.cxx11_abi,
       "rebuild it with _GLIBCXX_USE_CXX11_ABI=" + std::string(torch.cxx11_abi == "new" ? "1" : "0")});
}

}  // namespace

bool is_same_build(const Manifest& manifest, const TorchFacts& torch, const std::string& library) {
  const auto built_with = manifest.torch.build_ids.find(library);
  const auto present = torch.build_ids.find(library);
  return built_with != manifest.torch.build_ids.end() && present != torch.build_ids.end() &&
         !built_with->second.empty() && built_with->second == present->second;
}

bool is_same_torch_build(const Manifest& manifest, const TorchFacts& torch) {
  return is_same_build(manifest, torch, "libc10.so") && is_same_build(manifest, torch, "libtorch_cpu.so");
}

void check_torch(const Question& question, Judgement& judgement) {
  if (!question.torch) {
    if (needs_torch(question.evidence)) report_no_torch(question, judgement);
    return;
  }
  if (!question.evidence.manifest) return;
  check_cxx11_abi(*question.evidence.manifest, *question.torch, judgement);
  check_version(*question.evidence.manifest, *question.torch, judgement);
}

}  // namespace myops::rules
