#include "loader/rules/absent.h"

#include <gmock/gmock.h>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using samples::usable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kOp = "myops::scale";

Manifest composite() { return samples::scale_manifest("myops_composite", {"CompositeExplicitAutograd"}); }
Manifest cpu() { return samples::scale_manifest("myops_cpu", {"CPU"}); }

// Of operators of which nobody knows but the schema library of one.
Manifest schema() {
  Manifest manifest = samples::schema_manifest();
  manifest.defines = {samples::kScale};
  return manifest;
}

// What a load of these files left: all were opened that could be.
Report loaded(std::vector<Verdict> files) {
  Report report;
  report.folders = {"/p"};
  report.plan = make_plan(std::move(files), {}, {}, {});
  report.applied = true;
  for (const std::size_t file : report.plan.order) report.outcomes.push_back({file, true, false, {}});
  return report;
}

Verdict without_gpu() {
  Verdict verdict = samples::judged(samples::evidence(samples::cuda_manifest()));
  EXPECT_EQ(verdict.reasons.at(0).code, Code::kNoGpu);
  return verdict;
}

std::vector<std::string> keys(const std::vector<AbsentKernel>& absent) {
  std::vector<std::string> keys;
  for (const AbsentKernel& kernel : absent) keys.push_back(kernel.op + " " + kernel.key);
  return keys;
}

TEST(AbsentText, NamesTheLibraryAndItsReason) {
  const auto report = loaded({usable(schema()), usable(cpu()), without_gpu()});
  EXPECT_THAT(absent_text(report, kOp, "CUDA"),
              StartsWith("myops::scale has no CUDA kernel: libmyops_cuda.so was not loaded (no-gpu: "));
}

TEST(AbsentText, NamesTheFoldersWhereNoLibraryHasOne) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  EXPECT_EQ(absent_text(report, kOp, "CUDA"), "myops::scale has no CUDA kernel: no library with one was found in /p");
  EXPECT_EQ(absent_text(report, kOp, "Autograd"),
            "myops::scale passes no gradient on: no library with its Autograd kernel was found in /p");
}

TEST(AbsentText, CompositeLibraryWouldHaveHelped) {
  const auto report = loaded({usable(schema()), samples::refused(composite())});
  EXPECT_THAT(
      absent_text(report, kOp, "XPU"),
      StartsWith("myops::scale has no XPU kernel: libmyops_composite.so was not loaded (torch-version-mismatch"));
}

TEST(AbsentText, OfManyLibrariesThreeAreNamed) {
  std::vector<Verdict> files = {usable(schema())};
  for (const char* folder : {"/a", "/b", "/c", "/d", "/e"}) files.push_back(samples::refused(cpu(), folder));
  const std::string text = absent_text(loaded(files), kOp, "CPU");
  EXPECT_THAT(text, HasSubstr("; and 2 more"));
}

TEST(AbsentText, WhatTheLinkerRefusedIsTold) {
  auto report = loaded({usable(schema()), usable(cpu())});
  report.outcomes[1] = {report.plan.order[1], false, false, Reason{Code::kOpenFailed, "", "", "no memory", ""}};
  EXPECT_THAT(absent_text(report, kOp, "CPU"), HasSubstr("libmyops_cpu.so was not loaded (open-failed: "));
}

TEST(AbsentKernels, AreDevicesWithoutAnyAndGradients) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  const auto absent = absent_kernels(report, {}, {});
  EXPECT_THAT(keys(absent), ElementsAre(kOp + " CUDA", kOp + " Autograd"));
}

TEST(AbsentKernels, CompositeServesEveryDeviceAndItsGradientsAreItsOwn) {
  EXPECT_THAT(absent_kernels(loaded({usable(schema()), usable(composite())}), {}, {}), IsEmpty());
  const auto mixed = absent_kernels(loaded({usable(schema()), usable(cpu()), usable(composite())}), {}, {});
  EXPECT_THAT(keys(mixed), ElementsAre(kOp + " Autograd"));
}

TEST(AbsentKernels, NothingIsMissingWithAutograd) {
  const auto autograd = samples::scale_manifest("myops_autograd", {"Autograd"});
  EXPECT_THAT(absent_kernels(loaded({usable(schema()), usable(composite()), usable(cpu()), usable(autograd)}), {}, {}),
              IsEmpty());
}

TEST(AbsentKernels, AreOfTheKindsAskedFor) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  EXPECT_THAT(keys(absent_kernels(report, {}, {.explain = Explain::kGradients})), ElementsAre(kOp + " Autograd"));
  EXPECT_THAT(absent_kernels(report, {}, {.explain = Explain::kNothing}), IsEmpty());
}

TEST(AbsentKernels, OfADeviceOfOthersOnlyWhereALibraryWouldServeIt) {
  const auto theirs = samples::scale_manifest("myops_npu", {"PrivateUse1"});
  const auto report = loaded({usable(schema()), usable(cpu()), samples::refused(theirs)});
  EXPECT_THAT(keys(absent_kernels(report, {}, {})),
              ElementsAre(kOp + " CUDA", kOp + " PrivateUse1", kOp + " Autograd"));
}

TEST(AbsentKernels, OfOperatorsThatMayBeRunningOnlyThoseThatHaveAStandIn) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  DispatcherState before;
  before.schemas[kOp] = samples::kScale;
  before.explained = {{kOp, "CUDA"}};
  EXPECT_EQ(absent_kernels(report, before, {}).size(), 2U) << "nothing computed it: nobody can be calling it";
  before.kernels[{kOp, "Meta"}] = "x";
  EXPECT_EQ(absent_kernels(report, before, {}).size(), 2U);
  before.kernels[{kOp, "CPU"}] = "x";
  EXPECT_THAT(keys(absent_kernels(report, before, {})), ElementsAre(kOp + " CUDA"));
  EXPECT_EQ(absent_kernels(report, before, {.quiescent = true}).size(), 2U);
}

// The schema came with an earlier load, from another folder.
TEST(AbsentKernels, OfOperatorsThatOthersDefine) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  Report second = report;
  second.plan.files[report.plan.order[0]].manifest->defines.clear();
  EXPECT_THAT(absent_kernels(second, {}, {}), IsEmpty()) << "nobody defines it";
  DispatcherState before;
  before.schemas[kOp] = samples::kScale;
  EXPECT_THAT(keys(absent_kernels(second, before, {})), ElementsAre(kOp + " CUDA", kOp + " Autograd"));
}

TEST(AbsentKernels, WhatTheDispatcherHasIsNotMissing) {
  const auto report = loaded({usable(schema()), usable(cpu())});
  DispatcherState before;
  before.kernels[{kOp, "CUDA"}] = "registered in Python";
  before.kernels[{kOp, "Autograd"}] = "registered in Python";
  EXPECT_THAT(absent_kernels(report, before, {.quiescent = true}), IsEmpty());
}

TEST(StandInsMet, AreThoseThatNewKernelsTouch) {
  const auto autograd = samples::scale_manifest("myops_autograd", {"Autograd"});
  const auto plan = loaded({usable(schema()), usable(cpu()), usable(autograd)}).plan;
  const auto met = [&](const char* op, const char* key) { return !stand_ins_met(plan, {{op, key}}).empty(); };
  EXPECT_TRUE(met("myops::scale", "Autograd"));
  EXPECT_TRUE(met("myops::scale", "CPU"));
  EXPECT_FALSE(met("myops::scale", "CUDA"));
  EXPECT_FALSE(met("acme::scale", "Autograd")) << "another's stays";
  LoadPlan again = plan;
  again.already = again.order;
  EXPECT_TRUE(stand_ins_met(again, {{"myops::scale", "CPU"}}).empty());
}

TEST(ServedByComposite, IsADeviceWhoseLibraryWasLeftOut) {
  EXPECT_THAT(served_by_composite(loaded({usable(schema()), usable(cpu()), usable(composite()), without_gpu()})),
              ElementsAre("CUDA"));
  EXPECT_THAT(served_by_composite(loaded({usable(schema()), usable(cpu()), usable(composite())})), IsEmpty());
  EXPECT_THAT(served_by_composite(loaded({usable(schema()), usable(cpu()), without_gpu()})), IsEmpty());
}

}  // namespace
}  // namespace myops::rules
