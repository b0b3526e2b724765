#include "loader/elf/elf_facts.h"
#include "loader/rules/checks.h"

namespace myops::rules {
namespace {

bool is_unstamped(const Evidence& evidence) {
  return evidence.manifest_error && evidence.manifest_error->code == Code::kUnstamped;
}

}  // namespace

void check_manifest(const Question& question, Judgement& judgement) {
  const Evidence& evidence = question.evidence;
  if (is_unstamped(evidence) && question.request.allow_unstamped) {
    judgement.notes.push_back("its manifest was never written: what it registers is not known before it is opened");
  } else if (evidence.manifest_error) {
    judgement.reasons.push_back(*evidence.manifest_error);
  }
  if (!evidence.manifest || !evidence.elf) return;
  const Manifest& manifest = *evidence.manifest;
  if (is_for_this_machine(evidence, question.host) && manifest.cpu.arch != question.host.arch) {
    judgement.notes.push_back("its manifest says " + manifest.cpu.arch + ", its code is for " + question.host.arch);
  }
  if (!manifest.registers()) judgement.notes.push_back("registers nothing");
}

}  // namespace myops::rules
