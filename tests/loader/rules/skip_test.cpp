#include <gmock/gmock.h>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using samples::names_in_order;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Manifest of_other_torch() {
  Manifest manifest = samples::schema_manifest();
  manifest.torch.version = "2.11.0";
  return manifest;
}

TEST(SkipCheck, ReasonOfAFileBecomesANoteAndTaints) {
  const Request request{.skip = {Code::kTorchVersionMismatch}};
  const Verdict verdict = samples::judged(samples::evidence(of_other_torch()), request);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("not minded, as MYOPS_SKIP_CHECK has it: torch-version-mismatch")));
  const LoadPlan plan = make_plan({verdict}, {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  EXPECT_TRUE(plan.tainted);
}

TEST(SkipCheck, WhatEndsTheProcessOrChoosesIsMinded) {
  for (const Code code : {Code::kNamespaceTaken, Code::kOperatorConflict, Code::kKernelConflict, Code::kSuperseded,
                          Code::kNotInLock, Code::kHashMismatch, Code::kNotQuiescent, Code::kSignatureMismatch,
                          Code::kNotALibrary, Code::kDamaged, Code::kDisabled}) {
    EXPECT_FALSE(is_skippable(code)) << token(code);
  }
  EXPECT_TRUE(is_skippable(Code::kTorchVersionMismatch));
  // Nothing is known of such a file: not even that it is nobody's, so that no lock holds it.
  EXPECT_FALSE(is_skippable(Code::kTruncated));
}

TEST(SkipCheck, OtherReasonsStand) {
  const Request request{.skip = {Code::kNoGpu}};
  EXPECT_EQ(samples::judged(samples::evidence(of_other_torch()), request).reasons.size(), 1U);
  EXPECT_FALSE(make_plan({usable(samples::schema_manifest())}, {}, request, {}).tainted) << "nothing was skipped";
}

TEST(SkipCheck, RuleOfTheSetIsSkippedToo) {
  const auto files = [] {
    return std::vector<Verdict>{usable(samples::schema_manifest()),
                                usable(samples::kernels_manifest("myops_cpu", {"CPU"}))};
  };
  EXPECT_THAT(names_in_order(make_plan(files(), {}, {}, {})), ElementsAre("myops_schema"));
  const LoadPlan plan = make_plan(files(), {}, {.skip = {Code::kInplaceOrViewMissing}}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_TRUE(plan.tainted);
  EXPECT_THAT(samples::file_named(plan, "myops_cpu").notes, ElementsAre(HasSubstr("inplace-or-view-missing")));
}

TEST(Fingerprint, IsThatOfWhatIsInTheProcess) {
  Report report;
  report.applied = true;
  report.plan =
      make_plan({usable(samples::schema_manifest()), usable(samples::scale_manifest("a", {"Meta"}))}, {}, {}, {});
  const std::string nothing = fingerprint(report);
  for (const std::size_t file : report.plan.order) report.outcomes.push_back({file, true, false, {}});
  const std::string both = fingerprint(report);
  EXPECT_EQ(both.size(), 12U);
  EXPECT_NE(both, nothing);
  std::swap(report.plan.order[0], report.plan.order[1]);
  EXPECT_EQ(fingerprint(report), both);
  report.plan.files[0].build_id += "0";
  EXPECT_NE(fingerprint(report), both);
}

}  // namespace
}  // namespace myops::rules
