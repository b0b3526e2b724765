#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::HasReason;
using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IdentityChecks : public ::testing::Test {
 protected:
  void change(void (*how)(elf::ElfFacts&)) {
    auto facts = std::make_shared<elf::ElfFacts>(*evidence.elf);
    how(*facts);
    evidence.elf = facts;
  }

  Evidence evidence = samples::evidence(samples::schema_manifest());
};

TEST_F(IdentityChecks, HasNothingAgainstALibraryForThisMachine) {
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, IsEmpty());
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_EQ(verdict.loads, true);
}

TEST_F(IdentityChecks, PassesOnWhyTheFileCouldNotBeRead) {
  evidence.file.error = Reason{Code::kUnreadable, "/p/x.so", "", "Permission denied", ""};
  evidence.elf = nullptr;
  evidence.manifest.reset();
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(Code::kUnreadable, "", "Permission denied")));
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
  EXPECT_EQ(verdict.loads, false);
}

TEST_F(IdentityChecks, PassesOnWhatTheElfReaderFound) {
  evidence.elf = nullptr;
  evidence.manifest.reset();
  for (const Code code : {Code::kNotALibrary, Code::kTruncated, Code::kDamaged}) {
    evidence.elf_error = Reason{code, "", "e", "f", ""};
    const Verdict verdict = samples::judged(evidence);
    EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(code, "e", "f")));
    EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
    EXPECT_EQ(verdict.loads, false);
  }
}

TEST_F(IdentityChecks, PassesOnWhatStoppedTheReaderInAFileOfAnotherMachineThatIsJudgedForThatMachine) {
  change([](elf::ElfFacts& facts) {
    facts.machine = 183;  // EM_AARCH64
    facts.fault = Reason{Code::kDamaged, "program headers", "e", "f", ""};
  });
  HostFacts host = samples::host();
  host.arch = "aarch64";
  const Verdict verdict = judge(evidence, host, std::nullopt, {});
  EXPECT_THAT(verdict.reasons, Contains(IsReasonAbout("program headers", Code::kDamaged, "e", "f")));
  EXPECT_EQ(verdict.loads, false);
}

TEST_F(IdentityChecks, RefusesWhatTheReaderGaveUpOn) {
  change([](elf::ElfFacts& facts) {
    facts.gave_up = Reason{Code::kTooLarge, "string table", "5 bytes", "6 bytes", ""};
    facts.identity_only = true;
  });
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("string table", Code::kTooLarge, "5 bytes", "6 bytes")));
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
  EXPECT_EQ(verdict.loads, std::nullopt);
}

TEST_F(IdentityChecks, NeverTakesAFileOfWhichNothingIsKnown) {
  Evidence nothing;
  nothing.file.path = "/p/libx.so";
  const Verdict verdict = samples::judged(nothing);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("/p/libx.so", Code::kUnreadable, "", "nothing was read")));
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
}

// Case 32.
TEST_F(IdentityChecks, RefusesAnotherMachineClassOrByteOrder) {
  struct Row {
    void (*change)(elf::ElfFacts&);
    const char* found;
  };
  const Row kRows[] = {
      {[](elf::ElfFacts& facts) { facts.machine = 183; }, "aarch64"},
      {[](elf::ElfFacts& facts) { facts.bits = 32; }, "32"},
      {[](elf::ElfFacts& facts) { facts.little_endian = false; }, "big-endian"},
      {[](elf::ElfFacts& facts) { facts.machine = 0x1234; }, "0x1234"},
  };
  for (const Row& row : kRows) {
    evidence = samples::evidence(samples::schema_manifest());
    change(row.change);
    const Verdict verdict = samples::judged(evidence);
    EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(Code::kWrongArchitecture, "x86_64", HasSubstr(row.found))));
    EXPECT_EQ(verdict.loads, false);
  }
}

TEST_F(IdentityChecks, RejectsAFileOfAnotherMachineEvenWithoutAManifest) {
  evidence.manifest.reset();
  change([](elf::ElfFacts& facts) { facts.machine = 183; });
  EXPECT_EQ(samples::judged(evidence).kind, VerdictKind::kRejected) << "and not foreign";
}

TEST_F(IdentityChecks, RefusesWhatDlopenRefuses) {
  change([](elf::ElfFacts& facts) { facts.pie_executable = true; });
  EXPECT_THAT(samples::judged(evidence).reasons, ElementsAre(IsReason(Code::kNotALibrary)));
  EXPECT_EQ(samples::judged(evidence).loads, false);
  change([](elf::ElfFacts& facts) {
    facts.pie_executable = false;
    facts.no_open = true;
  });
  EXPECT_THAT(samples::judged(evidence).reasons, ElementsAre(IsReason(Code::kNotALibrary)));
}

TEST_F(IdentityChecks, RefusesSegmentsThatAreNotAlignedToThisMachinesPages) {
  HostFacts host = samples::host();
  host.page_size = 65536;
  const Verdict verdict = judge(evidence, host, samples::torch(), {});
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("page size", Code::kWrongArchitecture, "65536-byte pages", "4096-byte pages")));
  EXPECT_EQ(verdict.loads, false);
  change([](elf::ElfFacts& facts) { facts.load_alignment = 0x200000; });
  EXPECT_THAT(judge(evidence, host, samples::torch(), {}).reasons, IsEmpty());
}

TEST_F(IdentityChecks, NamesTheMountThatForbidsExecution) {
  evidence.file.noexec = true;
  evidence.file.mount_point = "/mnt/data";
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("/mnt/data", Code::kNoexec, "", "mounted noexec")));
  EXPECT_EQ(verdict.loads, false);
}

TEST_F(IdentityChecks, OnlyNotesWhatMayStillLoad) {
  change([](elf::ElfFacts& facts) {
    facts.executable_stack = true;
    facts.text_relocations = true;
    facts.static_tls = true;
  });
  const Verdict verdict = samples::judged(evidence);
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_EQ(verdict.loads, true);
  for (const char* about : {"executable stack", "text relocations", "static thread-local storage"}) {
    EXPECT_THAT(verdict.notes, Contains(HasSubstr(about)));
  }
}

// Case 11: it would load, but whatever copied it did not finish.
TEST_F(IdentityChecks, RefusesAnIncompleteCopyThatTheDynamicLinkerTakes) {
  change([](elf::ElfFacts& facts) {
    facts.section_headers_cut = Reason{Code::kTruncated, "section headers", "at least 100 bytes", "99 bytes", ""};
  });
  const Verdict verdict = samples::judged(evidence);
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("section headers", Code::kTruncated, "at least 100 bytes", "99 bytes")));
  EXPECT_EQ(verdict.loads, true);
}

}  // namespace
}  // namespace myops::rules
