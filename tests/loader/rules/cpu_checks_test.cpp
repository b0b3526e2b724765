#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kBaseline = 1, kV2 = 2, kV3 = 4, kV4 = 8;  // GNU_PROPERTY_X86_ISA_1_*

Verdict verdict_for(const std::string& label, std::uint32_t isa_bits, const std::string& host_level) {
  Manifest manifest = samples::schema_manifest();
  manifest.cpu.level = label;
  Evidence evidence = samples::evidence(manifest);
  auto facts = std::make_shared<elf::ElfFacts>(*evidence.elf);
  facts->isa_needed = isa_bits;
  evidence.elf = facts;
  HostFacts host = samples::host();
  host.cpu_level = host_level;
  return judge(evidence, host, samples::torch(), {});
}

// Case 96: each stamped level on each machine.
TEST(CpuChecks, RefusesLevelsAboveTheMachines) {
  const char* const kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (int needed = 0; needed < 4; ++needed) {
    for (int offered = 0; offered < 4; ++offered) {
      const Verdict verdict = verdict_for(kLevels[needed], 0, kLevels[offered]);
      if (needed <= offered) {
        EXPECT_THAT(verdict.reasons, IsEmpty()) << kLevels[needed] << " on " << kLevels[offered];
      } else {
        EXPECT_THAT(verdict.reasons,
                    ElementsAre(IsReasonAbout("manifest", Code::kIsaLevelMissing, kLevels[needed], kLevels[offered])));
        EXPECT_EQ(verdict.loads, true) << "the linker would take it; the first call would be SIGILL";
      }
    }
  }
}

TEST(CpuChecks, RefusesALevelThatNobodyKnows) {
  EXPECT_THAT(verdict_for("x86-64-v5", 0, "x86-64-v4").reasons,
              ElementsAre(IsReasonAbout("manifest", Code::kIsaLevelMissing, "x86-64-v5", "x86-64-v4")));
  EXPECT_THAT(verdict_for("avx99", 0, "x86-64-v4").reasons,
              ElementsAre(IsReasonAbout("manifest", Code::kIsaLevelMissing, "avx99", "x86-64-v4")));
}

TEST(CpuChecks, BelievesTheBytesMoreThanTheLabel) {
  const Verdict verdict = verdict_for("x86-64", kBaseline | kV2 | kV3 | kV4, "x86-64-v3");
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("ELF property", Code::kIsaLevelMissing, "x86-64-v4", "x86-64-v3")));
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("marked for x86-64-v4, though its manifest says x86-64")));
  EXPECT_EQ(verdict.loads, false) << "glibc refuses it";
  EXPECT_EQ(verdict.cpu_level, "x86-64-v4");
}

TEST(CpuChecks, NotesALabelBelowTheBytesWhereBothFit) {
  const Verdict verdict = verdict_for("x86-64", kV3, "x86-64-v3");
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("marked for x86-64-v3")));
  EXPECT_EQ(verdict.cpu_level, "x86-64-v3");
}

TEST(CpuChecks, TakesALabelAboveTheBytes) {
  const Verdict verdict = verdict_for("x86-64-v4", kV2, "x86-64-v3");
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("manifest", Code::kIsaLevelMissing, "x86-64-v4", "x86-64-v3")));
  EXPECT_THAT(verdict.notes, IsEmpty());
}

TEST(CpuChecks, OnlyNotesWhereTheMachinesLevelIsNotKnown) {
  const Verdict verdict = verdict_for("x86-64-v3", 0, "");
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("x86-64-v3")));
}

TEST(CpuChecks, ComparesOtherLevelsForEqualityOnly) {
  EXPECT_THAT(verdict_for("armv8.2-a", 0, "armv8.2-a").notes, IsEmpty());
  EXPECT_THAT(verdict_for("armv9-a", 0, "armv8.2-a").reasons, IsEmpty());
  EXPECT_THAT(verdict_for("armv9-a", 0, "armv8.2-a").notes, Contains(HasSubstr("armv9-a")));
}

TEST(CpuChecks, ReadsTheElfPropertyOfForeignFilesToo) {
  Evidence evidence = samples::foreign_evidence("other");
  auto facts = std::make_shared<elf::ElfFacts>(*evidence.elf);
  facts->isa_needed = kV4;
  evidence.elf = facts;
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons,
              Contains(IsReasonAbout("ELF property", Code::kIsaLevelMissing, "x86-64-v4", "x86-64-v3")));
  EXPECT_EQ(verdict.kind, VerdictKind::kForeign);
  EXPECT_EQ(verdict.loads, false);
}

}  // namespace
}  // namespace myops::rules
