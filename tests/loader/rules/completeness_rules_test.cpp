#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::file_named;
using samples::kernels_manifest;
using samples::names_in_order;
using samples::usable;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Verdict schema() { return usable(samples::schema_manifest()); }

TEST(CompletenessRules, RefusesBackendsThatWriteWithoutADInplaceOrView) {
  for (const char* key : {"CPU", "Meta", "PrivateUse1"}) {
    const auto plan = make_plan({schema(), usable(kernels_manifest("backend", {key}))}, {}, {}, {});
    EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema")) << key;
    EXPECT_THAT(file_named(plan, "backend").reasons,
                ElementsAre(IsReasonAbout("myops::bump_", Code::kInplaceOrViewMissing, "ADInplaceOrView", "")));
    EXPECT_FALSE(plan.tainted);
  }
}

// The operators they call count their writes themselves: tests/combinations measures it.
TEST(CompletenessRules, TakesCompositeKernelsWithoutIt) {
  const auto plan =
      make_plan({schema(), usable(kernels_manifest("composite", {"CompositeExplicitAutograd"}))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "composite"));
  EXPECT_FALSE(plan.tainted);
}

TEST(CompletenessRules, TakesThemWithIt) {
  const auto plan = make_plan(
      {schema(), usable(kernels_manifest("cpu", {"CPU"})), usable(kernels_manifest("inplace", {"ADInplaceOrView"}))},
      {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "inplace", "cpu"));
  EXPECT_FALSE(plan.tainted);
}

TEST(CompletenessRules, TakesThemWhereTheDispatcherOrTheFileItselfHasIt) {
  Verdict own_schema = schema();
  auto before = samples::loaded({samples::schema_manifest(), kernels_manifest("inplace", {"ADInplaceOrView"})});
  auto plan =
      make_plan({own_schema, usable(kernels_manifest("cpu", {"CPU"}))}, before, {}, {own_schema.file.real_path});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "cpu"));
  plan = make_plan({schema(), usable(kernels_manifest("all", {"CPU", "ADInplaceOrView"}))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "all"));
}

TEST(CompletenessRules, LoadsThemOnRequestAndTaintsTheReport) {
  Request request;
  request.allow_incomplete = true;
  const auto plan = make_plan({schema(), usable(kernels_manifest("cpu", {"CPU"}))}, {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "cpu"));
  EXPECT_TRUE(plan.tainted);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("cpu is loaded without ADInplaceOrView kernels for myops::bump_")));
}

TEST(CompletenessRules, IsNotTaintedByARequestThatLetNothingThrough) {
  Request request;
  request.allow_incomplete = true;
  const auto plan = make_plan(
      {schema(), usable(kernels_manifest("cpu", {"CPU"})), usable(kernels_manifest("inplace", {"ADInplaceOrView"}))},
      {}, request, {});
  EXPECT_FALSE(plan.tainted);
  EXPECT_THAT(plan.notes, Not(Contains(HasSubstr("ADInplaceOrView"))));
}

TEST(CompletenessRules, SaysWhyTheLibraryThatHasItIsNotThere) {
  const auto plan = make_plan({schema(), usable(kernels_manifest("cpu", {"CPU"})),
                               samples::refused(kernels_manifest("inplace", {"ADInplaceOrView"}))},
                              {}, {}, {});
  EXPECT_THAT(file_named(plan, "cpu").reasons,
              ElementsAre(IsReasonAbout("myops::bump_", Code::kInplaceOrViewMissing, "ADInplaceOrView",
                                        "/p/libinplace.so (torch-version-mismatch)")));
}

TEST(CompletenessRules, AsksNothingOfLibrariesThatOnlyWrapOrOnlyRead) {
  const auto plan = make_plan({schema(), usable(kernels_manifest("autograd", {"Autograd"})),
                               usable(kernels_manifest("implicit", {"CompositeImplicitAutograd"})),
                               usable(samples::scale_manifest("cpu", {"CPU"}))},
                              {}, {}, {});
  EXPECT_THAT(names_in_order(plan), UnorderedElementsAre("myops_schema", "autograd", "implicit", "cpu"));
}

TEST(CompletenessRules, CannotProveThatItIsMissingWhereAnUnstampedLibraryIsTaken) {
  Request request;
  request.allow_unstamped = true;
  Evidence unstamped = samples::foreign_evidence("inplace");
  unstamped.manifest_error = Reason{Code::kUnstamped, "", "", "", ""};
  const auto plan = make_plan({schema(), usable(kernels_manifest("cpu", {"CPU"})),
                               judge(unstamped, samples::host(), samples::torch(), request)},
                              {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "cpu", "inplace"));
  EXPECT_TRUE(plan.tainted);
}

TEST(CompletenessRules, CountsOperatorsThatReturnViews) {
  Manifest defines = samples::manifest("views_schema");
  defines.defines = {"myops::view(Tensor(a) self) -> Tensor(a)"};
  Manifest cpu = samples::manifest("cpu");
  cpu.kernels["CPU"]["myops::view"] = {"view(Tensor(a) self) -> Tensor(a)", "", "", "r"};
  const auto plan = make_plan({usable(defines), usable(cpu)}, {}, {}, {});
  EXPECT_THAT(file_named(plan, "cpu").reasons, ElementsAre(IsReasonAbout("myops::view", Code::kInplaceOrViewMissing)));
}

TEST(CompletenessRules, NeedsItForEachOperatorThatWrites) {
  Manifest defines = samples::schema_manifest();
  defines.defines.push_back("myops::bump.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)");
  Manifest cpu = kernels_manifest("cpu", {"CPU"});
  cpu.kernels["CPU"]["myops::bump.out"] = {"bump.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", "", "", "r"};
  const auto plan =
      make_plan({usable(defines), usable(cpu), usable(kernels_manifest("inplace", {"ADInplaceOrView"}))}, {}, {}, {});
  EXPECT_THAT(file_named(plan, "cpu").reasons,
              ElementsAre(IsReasonAbout("myops::bump.out", Code::kInplaceOrViewMissing)));
}

}  // namespace
}  // namespace myops::rules
