// CPU levels, from two sources: the ELF property that the linker wrote (GNU_PROPERTY_X86_ISA_1_NEEDED, which glibc
// itself holds against the CPU) and the manifest. The bytes beat the label.
#include "loader/elf/elf_facts.h"
#include "loader/rules/checks.h"
#include "loader/rules/cpu_level.h"

namespace myops::rules {
namespace {

std::string level_of_bytes(const Evidence& evidence) {
  return evidence.elf ? std::string(elf::isa_level_name(evidence.elf->isa_needed)) : "";
}

std::string level_of_label(const Evidence& evidence) { return evidence.manifest ? evidence.manifest->cpu.level : ""; }

// A level that this loader does not know is taken to be wider than any it knows.
bool offers(const HostFacts& host, const std::string& level) {
  return level.empty() || level == host.cpu_level ||
         (level_rank(level) && level_rank(level) <= level_rank(host.cpu_level));
}

Reason level_missing(const char* source, const std::string& level, const HostFacts& host) {
  return {Code::kIsaLevelMissing, source, level, host.cpu_level, "install the variant for " + host.cpu_level};
}

}  // namespace

std::string needed_cpu_level(const Evidence& evidence) {
  return std::string(wider_level(level_of_label(evidence), level_of_bytes(evidence)));
}

void check_cpu_level(const Question& question, Judgement& judgement) {
  const HostFacts& host = question.host;
  if (!is_for_this_machine(question.evidence, host)) return;
  const std::string bytes = level_of_bytes(question.evidence);
  const std::string label = level_of_label(question.evidence);
  if (!level_rank(host.cpu_level) && label != host.cpu_level) {
    if (!label.empty()) judgement.notes.push_back("needs CPU level " + label + ": what this CPU offers is not known");
    return;
  }
  if (level_rank(bytes) && level_rank(label) && level_rank(bytes) > level_rank(label)) {
    judgement.notes.push_back("its code is marked for " + bytes + ", though its manifest says " + label);
  }
  if (!offers(host, bytes)) {
    judgement.reasons.push_back(level_missing("ELF property", bytes, host));
    judgement.cannot_open = true;
  } else if (!offers(host, label)) {
    judgement.reasons.push_back(level_missing("manifest", label, host));
  }
}

}  // namespace myops::rules
