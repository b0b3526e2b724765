#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/rules/checks.h"

namespace myops::rules {
namespace {

void refuse_open(Judgement& judgement, Reason reason) {
  judgement.reasons.push_back(std::move(reason));
  judgement.cannot_open = true;
}

// The dynamic linker refuses segments that are not aligned to pages: "ELF load command alignment not page-aligned".
void check_page_size(const elf::ElfFacts& facts, const HostFacts& host, Judgement& judgement) {
  if (facts.load_alignment == 0 || host.page_size == 0 || facts.load_alignment % host.page_size == 0) return;
  const auto pages = [](std::uint64_t bytes) { return std::to_string(bytes) + "-byte pages"; };
  refuse_open(judgement, {Code::kWrongArchitecture, "page size", pages(host.page_size), pages(facts.load_alignment),
                          "link it with -z max-page-size=" + std::to_string(host.page_size)});
}

void note_oddities(const elf::ElfFacts& facts, Judgement& judgement) {
  if (facts.executable_stack) {
    judgement.notes.push_back("asks for an executable stack: glibc 2.41 and hardened systems refuse that");
  }
  if (facts.text_relocations) judgement.notes.push_back("has text relocations: hardened systems refuse them");
  if (facts.static_tls) {
    judgement.notes.push_back("uses static thread-local storage: loading fails where many libraries did so before");
  }
}

}  // namespace

bool is_for_this_machine(const Evidence& evidence, const HostFacts& host) {
  if (!evidence.elf) return false;
  const elf::ElfFacts& facts = *evidence.elf;
  return elf::machine_name(facts.machine, facts.bits, facts.little_endian) == host.arch;
}

void check_identity(const Question& question, Judgement& judgement) {
  const Evidence& evidence = question.evidence;
  const CandidateFile& file = evidence.file;
  if (file.error) refuse_open(judgement, *file.error);
  if (evidence.elf_error) refuse_open(judgement, *evidence.elf_error);
  if (file.noexec) {
    refuse_open(judgement,
                {Code::kNoexec, file.mount_point, "", "mounted noexec", "move it, or mount that without noexec"});
  }
  if (!evidence.elf) {
    // Never usable without having been read, even where the reason got lost.
    if (!judgement.cannot_open) refuse_open(judgement, {Code::kUnreadable, file.path, "", "nothing was read", ""});
    return;
  }
  const elf::ElfFacts& facts = *evidence.elf;
  if (!is_for_this_machine(evidence, question.host)) {
    const std::string found = elf::machine_name(facts.machine, facts.bits, facts.little_endian);
    return refuse_open(judgement,
                       {Code::kWrongArchitecture, "", question.host.arch, found, "install the build for this machine"});
  }
  if (facts.fault) refuse_open(judgement, *facts.fault);
  if (const auto refusal = elf::refusal(facts)) refuse_open(judgement, *refusal);
  if (facts.gave_up) {
    judgement.reasons.push_back(*facts.gave_up);
    judgement.unproven = true;
  }
  if (facts.section_headers_cut) judgement.reasons.push_back(*facts.section_headers_cut);  // dlopen takes it
  check_page_size(facts, question.host, judgement);
  note_oddities(facts, judgement);
}

}  // namespace myops::rules
