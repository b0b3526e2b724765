#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using samples::file_at;
using samples::file_named;
using samples::names_in_order;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Manifest cpu(const std::string& level, const std::string& name = "myops_cpu") {
  Manifest manifest = samples::scale_manifest(name, {"CPU"});
  manifest.cpu.level = level;
  return manifest;
}

Verdict schema() { return usable(samples::schema_manifest()); }

// Cases 42 and 96.
TEST(KernelRules, TakesTheWidestVariantThatTheMachineCanRun) {
  const auto plan = make_plan({schema(), usable(cpu("x86-64"), "/a"), usable(cpu("x86-64-v3"), "/b"),
                               usable(cpu("x86-64-v4"), "/c"), usable(cpu("x86-64-v2"), "/d")},
                              {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_EQ(plan.files[plan.order[1]].file.path, "/b/libmyops_cpu.so");
  EXPECT_THAT(file_at(plan, "/c/libmyops_cpu.so").reasons,
              ElementsAre(IsReason(Code::kIsaLevelMissing, "x86-64-v4", "x86-64-v3")));
  for (const char* path : {"/a/libmyops_cpu.so", "/d/libmyops_cpu.so"}) {
    EXPECT_EQ(file_at(plan, path).kind, VerdictKind::kSuperseded);
    EXPECT_THAT(file_at(plan, path).reasons,
                ElementsAre(IsReasonAbout("myops_cpu", Code::kSuperseded, "", "/b/libmyops_cpu.so (x86-64-v3)")));
  }
}

TEST(KernelRules, TakesThePreferredAmongVariantsOfOneLevel) {
  const std::vector<Verdict> verdicts = {schema(), usable(cpu("x86-64", "plain"), "/a"),
                                         usable(cpu("x86-64", "tuned"), "/b")};
  EXPECT_THAT(names_in_order(make_plan(verdicts, {}, {}, {})), ElementsAre("myops_schema", "plain"));
  Request request;
  request.prefer = {"tun*"};
  EXPECT_THAT(names_in_order(make_plan(verdicts, {}, request, {})), ElementsAre("myops_schema", "tuned"));
}

TEST(KernelRules, PrefersNoNarrowerVariant) {
  Request request;
  request.prefer = {"narrow"};
  const auto plan =
      make_plan({schema(), usable(cpu("x86-64", "narrow")), usable(cpu("x86-64-v3", "wide"))}, {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "wide"));
}

TEST(KernelRules, RefusesASecondKernelForAnOperatorAndKey) {
  const auto plan =
      make_plan({schema(), usable(cpu("x86-64"), "/a"), usable(cpu("x86-64", "other_cpu"), "/b")}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_EQ(file_named(plan, "other_cpu").kind, VerdictKind::kRejected);
  EXPECT_THAT(file_named(plan, "other_cpu").reasons,
              ElementsAre(IsReasonAbout("myops::scale on CPU", Code::kKernelConflict, "", "/a/libmyops_cpu.so")));
}

TEST(KernelRules, TakesLibrariesWithOtherOperatorsOnTheSameKey) {
  Manifest more = samples::manifest("more_cpu");
  more.kernels["CPU"]["myops::bump_"] = samples::bump_record("CPU");
  more.kernels["ADInplaceOrView"]["myops::bump_"] = samples::bump_record("ADInplaceOrView");
  const auto plan = make_plan({schema(), usable(cpu("x86-64")), usable(more)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), UnorderedElementsAre("myops_schema", "myops_cpu", "more_cpu"));
}

TEST(KernelRules, ReplacesNoKernelThatSomeoneElseRegistered) {
  auto before = samples::loaded({samples::schema_manifest()});
  before.kernels[{"myops::scale", "CPU"}] = "registered at /home/me/kernel.py:3";
  Verdict own_schema = schema();
  const auto plan = make_plan({own_schema, usable(cpu("x86-64"))}, before, {}, {own_schema.file.real_path});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  EXPECT_THAT(file_named(plan, "myops_cpu").reasons,
              ElementsAre(IsReasonAbout("myops::scale on CPU", Code::kKernelConflict, "",
                                        "registered at /home/me/kernel.py:3")));
}

TEST(KernelRules, RefusesASecondBackendFallback) {
  Manifest one = samples::manifest("one"), two = samples::manifest("two");
  one.fallbacks = two.fallbacks = {"PrivateUse1"};
  auto plan = make_plan({usable(one, "/a"), usable(two, "/b")}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("one"));
  EXPECT_THAT(file_named(plan, "two").reasons,
              ElementsAre(IsReasonAbout("the fallback on PrivateUse1", Code::kKernelConflict, "", "/a/libone.so")));
  DispatcherState before;
  before.fallbacks = {"ADInplaceOrView", "PrivateUse1"};
  plan = make_plan({usable(one)}, before, {}, {});
  EXPECT_THAT(plan.files[0].reasons, ElementsAre(IsReasonAbout("the fallback on PrivateUse1", Code::kKernelConflict, "",
                                                               "in the dispatcher")));
}

TEST(KernelRules, LetsTheFallbackOnAutogradPrivateUse1BeReplacedAsTorchDoes) {
  Manifest one = samples::manifest("one");
  one.fallbacks = {"AutogradPrivateUse1"};
  DispatcherState before;
  before.fallbacks = {"AutogradPrivateUse1"};
  EXPECT_THAT(names_in_order(make_plan({usable(one)}, before, {}, {})), ElementsAre("one"));
}

}  // namespace
}  // namespace myops::rules
