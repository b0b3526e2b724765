#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::scale_manifest;
using samples::usable;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class Verify : public ::testing::Test {
 protected:
  static auto is_finding(const std::string& subject, Code code, const std::string& expected, const std::string& found) {
    return AllOf(Field("file", &Finding::file, "/p/libcpu.so"),
                 Field("reason", &Finding::reason, IsReasonAbout(subject, code, expected, found)));
  }

  static auto is_proof(std::size_t operators, std::size_t kernels, bool complete) {
    return AllOf(Field("operators", &Proof::operators, operators), Field("kernels", &Proof::kernels, kernels),
                 Field("complete", &Proof::complete, complete));
  }

  Verdict schema = usable(samples::schema_manifest());
  Verdict cpu = usable(scale_manifest("cpu", {"CPU", "Meta"}));
  LoadPlan plan = make_plan({schema, cpu}, {}, {}, {});
  DispatcherState after = samples::loaded({samples::schema_manifest(), scale_manifest("cpu", {"CPU", "Meta"})});
};

TEST_F(Verify, FindsNothingWherePromisesAreKept) { EXPECT_THAT(verify(plan, {}, after).findings, IsEmpty()); }

TEST_F(Verify, CountsWhatItFoundAsPromised) {
  EXPECT_THAT(verify(plan, {}, after).proof, is_proof(2, 2, true));
  after.kernels.erase({"myops::scale", "Meta"});
  EXPECT_THAT(verify(plan, {}, after).proof, is_proof(2, 1, true));
}

TEST_F(Verify, AsksForThePromisedPairsOnly) {
  EXPECT_THAT(promised(plan), ElementsAre(Pair("myops::bump_", ""), Pair("myops::scale", ""),
                                          Pair("myops::scale", "CPU"), Pair("myops::scale", "Meta")));
  EXPECT_THAT(promised(make_plan({cpu}, {}, {}, {})), IsEmpty()) << "not in the plan";
}

TEST_F(Verify, FindsAKernelThatIsNotThere) {
  after.kernels.erase({"myops::scale", "Meta"});
  EXPECT_THAT(verify(plan, {}, after).findings,
              ElementsAre(is_finding("myops::scale on Meta", Code::kKernelNotRegistered,
                                     "registered at scale.cpp:1 on Meta", "nothing")));
}

TEST_F(Verify, FindsAnOperatorThatIsNotDefinedAsPromised) {
  after.schemas.erase("myops::bump_");
  after.schemas["myops::scale"] = "myops::scale(Tensor self) -> Tensor";
  std::vector<Reason> reasons;
  for (const Finding& finding : verify(plan, {}, after).findings) {
    EXPECT_EQ(finding.file, "/p/libmyops_schema.so");
    reasons.push_back(finding.reason);
  }
  EXPECT_THAT(reasons, ElementsAre(IsReasonAbout("myops::bump_", Code::kKernelNotRegistered, samples::kBump, "nothing"),
                                   IsReasonAbout("myops::scale", Code::kKernelNotRegistered, samples::kScale,
                                                 "myops::scale(Tensor self) -> Tensor")));
}

TEST_F(Verify, FindsSomeoneElsesKernelInItsPlace) {
  after.kernels[{"myops::scale", "CPU"}] = "registered at theirs.cpp:9";
  EXPECT_THAT(verify(plan, {}, after).findings,
              ElementsAre(is_finding("myops::scale on CPU", Code::kKernelNotRegistered,
                                     "registered at scale.cpp:1 on CPU", "registered at theirs.cpp:9")));
}

TEST_F(Verify, IsNotAppeasedByWhatWasThereBeforeAFreshLoad) {
  after.kernels[{"myops::scale", "CPU"}] = "registered at theirs.cpp:9";
  EXPECT_THAT(verify(plan, after, after).findings,
              ElementsAre(is_finding("myops::scale on CPU", Code::kKernelNotRegistered,
                                     "registered at scale.cpp:1 on CPU", "registered at theirs.cpp:9")));
}

// Case 44.
TEST_F(Verify, FindsKernelsWithoutASchema) {
  after.dangling = {"other::op", "myops::scale"};
  EXPECT_THAT(verify(plan, {}, after).findings,
              ElementsAre(is_finding("myops::scale", Code::kSchemaMissing, "a schema library",
                                     "kernels without a schema in the dispatcher")));
}

TEST_F(Verify, FindsAFallbackThatIsNotThere) {
  Manifest fallback = samples::manifest("cpu");
  fallback.fallbacks = {"PrivateUse1"};
  plan = make_plan({usable(fallback)}, {}, {}, {});
  EXPECT_THAT(verify(plan, {}, {}).findings,
              ElementsAre(is_finding("the fallback on PrivateUse1", Code::kKernelNotRegistered, "", "nothing")));
  DispatcherState good;
  good.fallbacks = {"PrivateUse1"};
  EXPECT_THAT(verify(plan, {}, good).findings, IsEmpty());
}

class VerifyAgain : public Verify {
 protected:
  LoadPlan again = make_plan({schema, cpu}, after, {}, {schema.file.real_path, cpu.file.real_path});
};

TEST_F(VerifyAgain, LeavesAKernelAloneThatAUserPutOverAnEarlierOne) {
  DispatcherState overwritten = after;
  overwritten.kernels[{"myops::scale", "CPU"}] = "registered at /home/me/kernel.py:3";
  EXPECT_THAT(verify(again, overwritten, overwritten).findings, IsEmpty());
  EXPECT_THAT(verify(again, overwritten, overwritten).proof, is_proof(2, 1, false));
}

TEST_F(VerifyAgain, FindsAnEarlierKernelThatThisLoadReplaced) {
  DispatcherState overwritten = after;
  overwritten.kernels[{"myops::scale", "CPU"}] = "registered at theirs.cpp:9";
  EXPECT_THAT(verify(again, after, overwritten).findings,
              ElementsAre(is_finding("myops::scale on CPU", Code::kKernelNotRegistered,
                                     "registered at scale.cpp:1 on CPU", "registered at theirs.cpp:9")));
}

TEST_F(VerifyAgain, FindsAnEarlierKernelThatIsGone) {
  DispatcherState gone = after;
  gone.kernels.erase({"myops::scale", "CPU"});
  EXPECT_THAT(verify(again, gone, gone).findings,
              ElementsAre(is_finding("myops::scale on CPU", Code::kKernelNotRegistered,
                                     "registered at scale.cpp:1 on CPU", "nothing")));
}

TEST_F(VerifyAgain, HoldsNothingToTheManifestOfAFileThatWasReplaced) {
  cpu.file.replaced = true;
  cpu.manifest->kernels["CPU"]["myops::scale"].registered = "registered at scale.cpp:2 on CPU";
  cpu.manifest->kernels["CUDA"]["myops::scale"] = samples::scale_record("CUDA");
  again = make_plan({schema, cpu}, after, {}, {schema.file.real_path, cpu.file.real_path});
  EXPECT_THAT(samples::names_in_order(again), ElementsAre("myops_schema", "cpu"));
  EXPECT_EQ(again.already.size(), 2u) << "it is not opened beside the one that runs";
  EXPECT_THAT(samples::file_named(again, "cpu").notes, Contains(HasSubstr("replaced on disk since it was opened")));
  EXPECT_THAT(verify(again, after, after).findings, IsEmpty());
  EXPECT_THAT(verify(again, after, after).proof, is_proof(2, 0, false));
  EXPECT_THAT(promised(again), ElementsAre(Pair("myops::bump_", ""), Pair("myops::scale", "")));
}

TEST_F(Verify, PassesOverFilesWithoutAManifest) {
  Request request;
  request.allow_unstamped = true;
  Evidence unstamped = samples::foreign_evidence("x");
  unstamped.manifest_error = Reason{Code::kUnstamped, "", "", "", ""};
  plan = make_plan({judge(unstamped, samples::host(), samples::torch(), request)}, {}, request, {});
  EXPECT_EQ(plan.order.size(), 1u);
  EXPECT_THAT(verify(plan, {}, {}).findings, IsEmpty());
  EXPECT_THAT(promised(plan), IsEmpty());
}

}  // namespace
}  // namespace myops::rules
