#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using samples::file_named;
using samples::names_in_order;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// scale runs on the CPU, and where others would be stand-ins tell what is missing.
DispatcherState explained(const std::string& key) {
  DispatcherState before = samples::loaded({samples::schema_manifest()});
  before.explained = {{"myops::scale", key}};
  return before;
}

LoadPlan plan_with(const Manifest& manifest, const DispatcherState& before) {
  return make_plan({usable(manifest)}, before, {}, {});
}

TEST(ExplainedRules, KernelIsNotPutWhereAStandInMayBeRunning) {
  const auto plan = plan_with(samples::scale_manifest("myops_autograd", {"Autograd"}), explained("Autograd"));
  EXPECT_THAT(plan.order, IsEmpty());
  const Verdict& verdict = file_named(plan, "myops_autograd");
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_EQ(verdict.reasons[0].code, Code::kNotQuiescent);
  EXPECT_EQ(verdict.reasons[0].subject, "myops::scale");
  EXPECT_EQ(verdict.reasons[0].found, "stand-ins on Autograd");
}

TEST(ExplainedRules, SpecialKeyOfAutogradMeetsTheStandInOnAll) {
  const auto plan = plan_with(samples::scale_manifest("myops_autograd", {"AutogradCPU"}), explained("Autograd"));
  EXPECT_THAT(plan.order, IsEmpty());
}

TEST(ExplainedRules, CompositeKernelsWouldLieBehindTheStandInOfADevice) {
  const auto composite = samples::scale_manifest("myops_composite", {"CompositeExplicitAutograd"});
  EXPECT_THAT(plan_with(composite, explained("CUDA")).order, IsEmpty());
  EXPECT_THAT(names_in_order(plan_with(composite, explained("Autograd"))), ElementsAre("myops_composite"));
}

TEST(ExplainedRules, OtherKeysAndOperatorsAreFree) {
  const auto cpu = samples::scale_manifest("myops_cpu", {"CPU"});
  EXPECT_THAT(names_in_order(plan_with(cpu, explained("CUDA"))), ElementsAre("myops_cpu"));
  DispatcherState before = explained("CPU");
  before.explained = {{"myops::bump_", "CPU"}};
  EXPECT_THAT(names_in_order(plan_with(cpu, before)), ElementsAre("myops_cpu"));
}

}  // namespace
}  // namespace myops::rules
