#include "loader/rules/torch_checks.h"

#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::HasReason;
using myops::testing::IsReason;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Build {
  std::string version, git;
};

Verdict verdict_for(const Build& built, const Build& present) {
  Manifest manifest = samples::schema_manifest();
  manifest.torch.version = built.version;
  manifest.torch.git = built.git;
  TorchFacts torch = samples::torch();
  torch.version = present.version;
  torch.git = present.git;
  return judge(samples::evidence(manifest), samples::host(), torch, {});
}

TEST(TorchChecks, RefusesPluginBuiltForOtherMinor) {
  const Verdict verdict = verdict_for({"2.11.0", "a"}, {"2.15.0", "b"});
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(Code::kTorchVersionMismatch, "2.11.0", "2.15.0")));
  EXPECT_EQ(to_text(verdict.reasons[0]),
            "torch-version-mismatch: built for torch 2.11.0, this is 2.15.0; rebuild it for torch 2.15 or install that "
            "torch");
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
  EXPECT_EQ(verdict.loads, true) << "what is wrong is not what the linker looks at";
}

TEST(TorchChecks, TakesReleasesOfOneMinorVersion) {
  for (const Build& built : {Build{"2.15.0", "a"}, {"2.15.1", "b"}, {"2.15.0+cu132", ""}, {"2.15.0.post1", "c"}}) {
    EXPECT_THAT(verdict_for(built, {"2.15.0", "z"}).reasons, IsEmpty()) << built.version;
  }
}

TEST(TorchChecks, MatchesDevelopmentBuildsByGit) {
  EXPECT_THAT(verdict_for({"2.16.0a0", "aaa"}, {"2.16.0a0", "aaa"}).reasons, IsEmpty());
  EXPECT_THAT(verdict_for({"2.16.0a0", "aaa"}, {"2.16.0.dev20260101", "aaa"}).reasons, IsEmpty());
  EXPECT_THAT(verdict_for({"2.16.0a0", "aaa"}, {"2.16.0a0", "bbb"}).reasons,
              ElementsAre(IsReason(Code::kTorchVersionMismatch, "2.16.0a0 (git aaa)", "2.16.0a0 (git bbb)")));
  EXPECT_THAT(verdict_for({"2.16.0a0", "aaa"}, {"2.16.0", "bbb"}).reasons,
              ElementsAre(IsReason(Code::kTorchVersionMismatch, "2.16.0a0 (git aaa)", "2.16.0 (git bbb)")));
}

TEST(TorchChecks, OnlyNotesDevelopmentBuildsWithoutGit) {
  const Verdict verdict = verdict_for({"2.16.0a0", ""}, {"2.16.0a0", "bbb"});
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("without git revisions")));
  EXPECT_THAT(verdict_for({"2.16.0a0", ""}, {"2.15.0", "bbb"}).reasons,
              ElementsAre(IsReason(Code::kTorchVersionMismatch, "2.16.0a0", "2.15.0 (git bbb)")));
}

TEST(TorchChecks, OnlyNotesWhereTheVersionPresentIsNotKnown) {
  const Verdict verdict = verdict_for({"2.15.0", "a"}, {"", ""});
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("version of this torch is not known")));
}

Verdict stable_verdict(const std::string& abi, const std::string& present) {
  Manifest manifest = samples::schema_manifest();
  manifest.torch.version = "2.11.0";
  manifest.torch.abi = abi;
  TorchFacts torch = samples::torch();
  torch.version = present;
  return judge(samples::evidence(manifest), samples::host(), torch, {});
}

// Case 25.
TEST(TorchChecks, AsksForALeastVersionOfTheStableAbi) {
  for (const char* present : {"2.11.0", "2.11.0a0", "2.15.0", "3.0"}) {
    EXPECT_THAT(stable_verdict("stable>=2.11", present).reasons, IsEmpty()) << present;
  }
  const Verdict old = stable_verdict("stable>=2.11", "2.9.1");
  EXPECT_THAT(old.reasons, ElementsAre(IsReason(Code::kTorchTooOld, "2.11", "2.9.1")));
  EXPECT_THAT(to_text(old.reasons[0]), HasSubstr("needs torch >= 2.11, this is 2.9.1"));
}

// Case 24.
TEST(TorchChecks, RefusesTheOtherCxx11Abi) {
  Manifest manifest = samples::schema_manifest();
  manifest.torch.cxx11_abi = "old";
  const Verdict verdict = samples::judged(samples::evidence(manifest));
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(Code::kAbiMismatch, "old", "new")));
  manifest.torch.cxx11_abi = "new";
  EXPECT_THAT(samples::judged(samples::evidence(manifest)).reasons, IsEmpty());
  manifest.torch.cxx11_abi = "";
  EXPECT_THAT(samples::judged(samples::evidence(manifest)).reasons, IsEmpty()) << "not recorded";
}

// Case 28.
TEST(TorchChecks, SaysThatThereIsNoTorch) {
  const Evidence evidence = samples::evidence(samples::schema_manifest());
  const Verdict verdict = judge(evidence, samples::host(), std::nullopt, {});
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReason(Code::kTorchNotFound, "2.15.0", "none")));
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
  EXPECT_EQ(verdict.loads, std::nullopt);
  Request request;
  request.torch_dir = "/no/torch";
  EXPECT_THAT(judge(evidence, samples::host(), std::nullopt, request).reasons,
              ElementsAre(IsReason(Code::kTorchNotFound, "2.15.0", "none in /no/torch")));
}

TEST(TorchChecks, MissesTorchForForeignFilesOnlyWhereTheyNeedIt) {
  Evidence evidence = samples::foreign_evidence("other");
  EXPECT_THAT(judge(evidence, samples::host(), std::nullopt, {}).reasons, HasReason(Code::kTorchNotFound));
  auto facts = std::make_shared<elf::ElfFacts>(*evidence.elf);
  facts->needed = {"libc.so.6"};
  evidence.elf = facts;
  EXPECT_THAT(judge(evidence, samples::host(), std::nullopt, {}).reasons, ElementsAre(IsReason(Code::kForeign)));
}

class SameBuild : public ::testing::Test {
 protected:
  Manifest manifest = samples::schema_manifest();
  TorchFacts torch = samples::torch();
};

TEST_F(SameBuild, NeedsBothLibrariesToBeTheSame) {
  EXPECT_FALSE(is_same_torch_build(manifest, torch)) << "nothing recorded";
  manifest.torch.build_ids = torch.build_ids;
  EXPECT_TRUE(is_same_torch_build(manifest, torch));
  manifest.torch.build_ids["libc10.so"] = "ff";
  EXPECT_FALSE(is_same_torch_build(manifest, torch));
  manifest.torch.build_ids["libc10.so"] = torch.build_ids["libc10.so"] = "";
  EXPECT_FALSE(is_same_torch_build(manifest, torch)) << "no build-id is no proof";
  manifest.torch.build_ids["libtorch_python.so"] = torch.build_ids["libtorch_python.so"] = "";
  EXPECT_FALSE(is_same_build(manifest, torch, "libtorch_python.so")) << "nor is it of another library";
  manifest.torch.build_ids.erase("libc10.so");
  EXPECT_FALSE(is_same_torch_build(manifest, torch));
}

// Of its symbols the Examiner knows.
TEST_F(SameBuild, ProvesTheVersion) {
  manifest.torch.build_ids = torch.build_ids;
  manifest.torch.version = "2.16.0a0";
  manifest.torch.git = "other";
  Evidence evidence = samples::evidence(manifest);
  const Verdict verdict = judge(evidence, samples::host(), torch, {});
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_EQ(verdict.loads, true);
  evidence.resolved = false;
  EXPECT_EQ(judge(evidence, samples::host(), torch, {}).loads, std::nullopt) << "nothing was looked up";
}

}  // namespace
}  // namespace myops::rules
