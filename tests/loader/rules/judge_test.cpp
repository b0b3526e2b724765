#include <gmock/gmock.h>

#include <set>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Judge, PassesOnTheDoubtsOfTheReading) {
  Evidence evidence = samples::evidence(samples::schema_manifest());
  evidence.notes = {"a doubt"};
  EXPECT_THAT(samples::judged(evidence).notes, ElementsAre("a doubt"));
}

TEST(Judge, DescribesTheFile) {
  Evidence evidence = samples::evidence(samples::schema_manifest());
  auto facts = std::make_shared<elf::ElfFacts>(*evidence.elf);
  facts->build_id = "0a1b";
  evidence.elf = facts;
  const Verdict verdict = samples::judged(evidence);
  EXPECT_EQ(verdict.name, "myops_schema");
  EXPECT_EQ(verdict.file.path, evidence.file.path);
  EXPECT_EQ(verdict.build_id, "0a1b");
  EXPECT_EQ(verdict.cpu_level, "x86-64");
  ASSERT_TRUE(verdict.manifest);
  EXPECT_EQ(verdict.manifest->release, "1");
}

TEST(Judge, NamesAFileWithoutAManifestByItsPath) {
  Evidence evidence = samples::foreign_evidence("x");
  const std::pair<const char*, const char*> kNames[] = {
      {"/p/libmyops_x.so", "myops_x"}, {"/p/_C.so", "_C"}, {"/p/lib.so", ""}, {"libx.so.1", "x.so.1"}};
  for (const auto& [path, name] : kNames) {
    evidence.file.path = path;
    EXPECT_EQ(samples::judged(evidence).name, name);
  }
}

// Case 34.
TEST(Judge, ChecksForeignFilesAndDoesNotTakeThem) {
  const Verdict verdict = samples::judged(samples::foreign_evidence("torchvision"));
  EXPECT_EQ(verdict.kind, VerdictKind::kForeign);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("torchvision", Code::kForeign)));
  EXPECT_EQ(verdict.loads, true);
}

TEST(Judge, GivesEveryReasonAndNotTheFirst) {
  Manifest manifest = samples::cuda_manifest();
  manifest.torch.version = "2.11.0";
  manifest.torch.cxx11_abi = "old";
  manifest.cpu.level = "x86-64-v4";
  Evidence evidence = samples::evidence(manifest);
  evidence.file.mode = 0100646;
  evidence.file.noexec = true;
  evidence.missing = {{link::MissingKind::kSymbol, "s", "", "", "", {}}};
  Request request;
  request.disable = {"CUDA"};
  const Verdict verdict = samples::judged(evidence, request);
  EXPECT_THAT(verdict.reasons, UnorderedElementsAre(IsReason(Code::kNoexec), IsReason(Code::kIsaLevelMissing),
                                                    IsReason(Code::kAbiMismatch), IsReason(Code::kTorchVersionMismatch),
                                                    IsReason(Code::kNoGpu), IsReason(Code::kSymbolMissing),
                                                    IsReason(Code::kWorldWritable), IsReason(Code::kDisabled)));
  EXPECT_EQ(verdict.kind, VerdictKind::kDisabled);
  EXPECT_EQ(verdict.loads, false);
}

TEST(Judge, SetsDisabledFilesAside) {
  Request request;
  request.disable = {"other*", "myops_sch*", "*"};
  const Verdict verdict = samples::judged(samples::evidence(samples::schema_manifest()), request);
  EXPECT_EQ(verdict.kind, VerdictKind::kDisabled);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("myops_schema", Code::kDisabled, "", "myops_sch*")));
  EXPECT_EQ(verdict.loads, true);
}

TEST(Judge, LeavesTheCapToThoseWhoChoose) {
  Manifest manifest = samples::schema_manifest();
  manifest.cpu.level = "x86-64-v3";
  Request request;
  request.cpu_cap = "x86-64";
  const Verdict verdict = samples::judged(samples::evidence(manifest), request);
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_THAT(verdict.reasons, IsEmpty());
}

TEST(Judge, LeavesForeignFilesForeignWhenDisabled) {
  Request request;
  request.disable = {"*"};
  EXPECT_EQ(samples::judged(samples::foreign_evidence("x"), request).kind, VerdictKind::kForeign);
}

TEST(Judge, ProvesThatAFileCannotLoadWithoutATorchToo) {
  Evidence evidence = samples::evidence(samples::schema_manifest());
  evidence.file.noexec = true;
  EXPECT_EQ(judge(evidence, samples::host(), std::nullopt, {}).loads, false);
}

TEST(VerdictKind, HasOneWordForEach) {
  std::set<std::string_view> words;
  for (const auto kind : {VerdictKind::kUsable, VerdictKind::kRejected, VerdictKind::kForeign, VerdictKind::kSuperseded,
                          VerdictKind::kDisabled}) {
    words.insert(to_text(kind));
  }
  EXPECT_THAT(words, UnorderedElementsAre("usable", "rejected", "foreign", "superseded", "disabled"));
}

}  // namespace
}  // namespace myops::rules
