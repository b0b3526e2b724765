#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Evidence with_error(Code code) {
  Evidence evidence = samples::foreign_evidence("myops_cpu");
  evidence.manifest_error = Reason{code, "name", "e", "f", ""};
  return evidence;
}

TEST(ManifestChecks, PassesOnWhatTheReaderFound) {
  for (const Code code : {Code::kManifestDamaged, Code::kManifestNewer, Code::kUnstamped}) {
    const Verdict verdict = samples::judged(with_error(code));
    EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(code, "e", "f")));
    EXPECT_EQ(verdict.kind, VerdictKind::kRejected) << "and not foreign";
    EXPECT_EQ(verdict.loads, true);
  }
}

TEST(ManifestChecks, TakesAnUnstampedFileOnRequestOnly) {
  Request request;
  request.allow_unstamped = true;
  const Verdict verdict = samples::judged(with_error(Code::kUnstamped), request);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("never written")));
  EXPECT_EQ(verdict.name, "myops_cpu");
  EXPECT_EQ(samples::judged(with_error(Code::kManifestDamaged), request).kind, VerdictKind::kRejected);
}

TEST(ManifestChecks, NotesALabelForAnotherMachine) {
  Manifest manifest = samples::schema_manifest();
  manifest.cpu.arch = "aarch64";
  const Verdict verdict = samples::judged(samples::evidence(manifest));
  EXPECT_THAT(verdict.reasons, IsEmpty()) << "the bytes beat the label";
  EXPECT_THAT(verdict.notes, ElementsAre("its manifest says aarch64, its code is for x86_64"));
}

// Case 34: a manifest without kernels.
TEST(ManifestChecks, NotesALibraryThatRegistersNothing) {
  const Verdict verdict = samples::judged(samples::evidence(samples::manifest("myops_empty")));
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_THAT(verdict.notes, Contains("registers nothing"));
  Manifest fallback = samples::manifest("myops_fallback");
  fallback.fallbacks = {"PrivateUse1"};
  EXPECT_THAT(samples::judged(samples::evidence(fallback)).notes, IsEmpty());
}

}  // namespace
}  // namespace myops::rules
