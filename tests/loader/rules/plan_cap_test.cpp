// Which variant of a library is taken under a cap on CPU levels.
#include <gmock/gmock.h>

#include "loader/rules/plan.h"
#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using samples::names_in_order;
using samples::scale_manifest;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Verdict cpu_variant(const std::string& level) {
  Manifest manifest = scale_manifest("myops_cpu", {"CPU"});
  manifest.cpu.level = level;
  Verdict verdict = usable(manifest);
  verdict.file.path = verdict.file.real_path = "/p/libmyops_cpu." + level + ".so";
  return verdict;
}

TEST(Plan, TakesTheVariantWithinTheCap) {
  Request request;
  request.cpu_cap = "x86-64-v2";
  const auto plan =
      make_plan({usable(samples::schema_manifest()), cpu_variant("x86-64"), cpu_variant("x86-64-v3")}, {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_THAT(samples::file_at(plan, "/p/libmyops_cpu.x86-64.so").notes, IsEmpty());
  const Verdict& wider = samples::file_at(plan, "/p/libmyops_cpu.x86-64-v3.so");
  EXPECT_EQ(wider.kind, VerdictKind::kSuperseded);
  ASSERT_THAT(wider.reasons, ElementsAre(IsReason(Code::kSuperseded)));
  EXPECT_EQ(wider.reasons[0].hint, "ATEN_CPU_CAPABILITY allows x86-64-v2 only");
}

TEST(Plan, TakesTheNarrowestVariantWhereNoneIsWithinTheCap) {
  Request request;
  request.cpu_cap = "x86-64";
  const auto plan = make_plan({usable(samples::schema_manifest()), cpu_variant("x86-64-v3"), cpu_variant("x86-64-v2")},
                              {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_THAT(samples::file_at(plan, "/p/libmyops_cpu.x86-64-v2.so").notes,
              ElementsAre("taken though ATEN_CPU_CAPABILITY allows x86-64 only: no variant within that can be"));
  const Verdict& wider = samples::file_at(plan, "/p/libmyops_cpu.x86-64-v3.so");
  ASSERT_THAT(wider.reasons, ElementsAre(IsReason(Code::kSuperseded)));
  EXPECT_EQ(wider.reasons[0].hint, "") << "without the cap it would have been taken for another reason";
}

TEST(Plan, SaysNothingOfTheCapWhereItDecidesNothing) {
  Request request;
  request.cpu_cap = "x86-64-v4";
  const auto plan =
      make_plan({usable(samples::schema_manifest()), cpu_variant("x86-64"), cpu_variant("x86-64-v3")}, {}, request, {});
  EXPECT_THAT(samples::file_at(plan, "/p/libmyops_cpu.x86-64-v3.so").notes, IsEmpty());
  EXPECT_EQ(samples::file_at(plan, "/p/libmyops_cpu.x86-64.so").reasons.at(0).hint, "");
}

TEST(Plan, KeepsAVariantAboveTheCapThatIsInTheProcess) {
  Request request;
  request.cpu_cap = "x86-64";
  const auto plan = make_plan({usable(samples::schema_manifest()), cpu_variant("x86-64"), cpu_variant("x86-64-v3")}, {},
                              request, {"/p/libmyops_cpu.x86-64-v3.so"});
  EXPECT_THAT(plan.already, ::testing::SizeIs(1));
  EXPECT_THAT(samples::file_at(plan, "/p/libmyops_cpu.x86-64-v3.so").notes, ElementsAre("in this process already"));
}

}  // namespace
}  // namespace myops::rules
