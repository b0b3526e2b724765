#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::scale_manifest;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

LoadPlan plan_requiring(std::vector<std::string> keys, std::vector<Verdict> verdicts) {
  Request request;
  request.require = std::move(keys);
  verdicts.push_back(usable(samples::schema_manifest()));
  return make_plan(verdicts, {}, request, {});
}

TEST(Requirement, IsServedByALibraryWithKernelsOnTheKeyOrItsAlias) {
  const auto plan =
      plan_requiring({"CPU", "Autograd", "AutogradCPU", "CPU"},
                     {usable(scale_manifest("cpu", {"CPU"})), usable(scale_manifest("autograd", {"Autograd"}))});
  EXPECT_THAT(plan.missing, IsEmpty());
}

TEST(Requirement, SaysThatNothingHasTheKey) {
  const auto plan =
      plan_requiring({"CUDA", "CUDA"}, {usable(scale_manifest("composite", {"CompositeExplicitAutograd"}))});
  EXPECT_THAT(plan.missing,
              ElementsAre(IsReasonAbout("CUDA", Code::kKeyNotServed, "", "no library found has kernels on it")));
}

// Case 100.
TEST(Requirement, SaysWhyTheLibraryThatHasTheKeyIsNotTaken) {
  Evidence evidence = samples::evidence(samples::cuda_manifest());
  const Verdict no_gpu = judge(evidence, samples::host(), samples::torch(), {});
  const auto plan = plan_requiring({"CUDA"}, {no_gpu});
  EXPECT_THAT(plan.missing,
              ElementsAre(IsReasonAbout("CUDA", Code::kKeyNotServed, "", "/p/libmyops_cuda.so (no-gpu)")));
  EXPECT_THAT(plan.missing[0].hint, StartsWith("needs an NVIDIA GPU: no NVIDIA driver"));
}

TEST(Requirement, SaysOnceWhatVariantsShare) {
  Manifest wide = scale_manifest("myops_cpu", {"CPU"});
  wide.cpu.level = "x86-64-v3";
  const auto plan = plan_requiring(
      {"CPU"}, {samples::refused(scale_manifest("myops_cpu", {"CPU"})), samples::refused(wide, "/wide")});
  EXPECT_THAT(plan.missing, ElementsAre(IsReasonAbout("CPU", Code::kKeyNotServed, "",
                                                      "/p/libmyops_cpu.so (torch-version-mismatch), "
                                                      "/wide/libmyops_cpu.so (torch-version-mismatch)")));
  EXPECT_THAT(plan.missing[0].hint, StartsWith("built for torch 2.11.0, this is 2.15.0"));
  EXPECT_THAT(plan.missing[0].hint, Not(HasSubstr("; built for")));
}

TEST(Requirement, GuessesTheKeyThatIsMeant) {
  const auto plan = plan_requiring({"cpu"}, {usable(scale_manifest("cpu", {"CPU"}))});
  ASSERT_THAT(plan.missing, ElementsAre(IsReasonAbout("cpu", Code::kKeyNotServed)));
  EXPECT_EQ(plan.missing[0].hint, "did you mean CPU?");
}

// A second set, of other operators.
std::vector<Verdict> other_set(std::initializer_list<std::string> keys) {
  Manifest schema = samples::manifest("other_schema"), kernels = samples::manifest("other_kernels");
  for (Manifest* manifest : {&schema, &kernels}) manifest->set = manifest->op_namespace = "other";
  schema.defines = {"other::f(Tensor self) -> Tensor"};
  schema.libraries = {"other"};
  for (const std::string& key : keys) kernels.kernels[key]["other::f"] = {"f(Tensor self) -> Tensor", "", "", "r"};
  return {usable(schema, "/other"), usable(kernels, "/other")};
}

TEST(Requirement, IsNotMetByTheLibraryOfAnotherSet) {
  std::vector<Verdict> files = other_set({"CPU"});
  files.push_back(samples::refused(scale_manifest("cpu", {"CPU"})));
  EXPECT_THAT(plan_requiring({"CPU"}, files).missing,
              ElementsAre(IsReasonAbout("CPU", Code::kKeyNotServed, "myops", "/p/libcpu.so (torch-version-mismatch)")));
  files.back() = usable(scale_manifest("cpu", {"CPU"}));
  EXPECT_THAT(plan_requiring({"CPU"}, files).missing, IsEmpty());
}

TEST(Requirement, AsksNothingOfASetThatHasNoLibraryForTheKeyOrIsNotUsed) {
  std::vector<Verdict> files = other_set({"CUDA"});
  files.push_back(usable(scale_manifest("cpu", {"CPU"})));
  EXPECT_THAT(plan_requiring({"CPU"}, files).missing, IsEmpty());
  files = other_set({"CPU"});
  for (Verdict& file : files) file = samples::refused(*file.manifest, "/other");
  files.push_back(usable(scale_manifest("cpu", {"CPU"})));
  EXPECT_THAT(plan_requiring({"CPU"}, files).missing, IsEmpty());
}

TEST(Requirement, ListsEveryCandidateAndEveryCodeOnce) {
  Manifest broken = samples::scale_manifest("one", {"PrivateUse1"});
  Verdict one = samples::refused(broken), two = samples::refused(samples::scale_manifest("two", {"PrivateUse1"}));
  one.reasons.push_back(one.reasons[0]);
  one.reasons.push_back({Code::kWorldWritable, "/p", "", "", ""});
  const auto plan = plan_requiring({"PrivateUse1"}, {one, two});
  EXPECT_THAT(plan.missing, ElementsAre(IsReasonAbout("PrivateUse1", Code::kKeyNotServed, "",
                                                      "/p/libone.so (torch-version-mismatch, world-writable), "
                                                      "/p/libtwo.so (torch-version-mismatch)")));
}

TEST(Requirement, CountsWhatThePlanRefusedItself) {
  Request request;
  request.require = {"CPU"};
  const auto plan = make_plan({usable(scale_manifest("cpu", {"CPU"}))}, {}, request, {});
  EXPECT_THAT(plan.missing,
              ElementsAre(IsReasonAbout("CPU", Code::kKeyNotServed, "", "/p/libcpu.so (schema-missing)")));
}

TEST(Requirement, NamesACopyOfACandidateNotAgain) {
  Request request;
  request.require = {"CPU"};
  const Verdict cpu = usable(scale_manifest("cpu", {"CPU"}));
  Verdict link = cpu;
  link.file.folder = "/link";
  link.file.path = "/link/libcpu.so";
  const auto plan = make_plan({cpu, link}, {}, request, {});
  EXPECT_THAT(plan.missing,
              ElementsAre(IsReasonAbout("CPU", Code::kKeyNotServed, "", "/p/libcpu.so (schema-missing)")));
}

TEST(Serves, CountsKernelsAliasesAndFallbacks) {
  Manifest manifest = scale_manifest("x", {"Autograd", "CompositeExplicitAutograd"});
  manifest.fallbacks = {"PrivateUse1"};
  manifest.kernels["CUDA"] = {};
  EXPECT_TRUE(serves(manifest, "Autograd"));
  EXPECT_TRUE(serves(manifest, "AutogradCUDA"));
  EXPECT_TRUE(serves(manifest, "PrivateUse1"));
  EXPECT_FALSE(serves(manifest, "CUDA")) << "no kernel on it";
  EXPECT_FALSE(serves(manifest, "CPU"));
}

}  // namespace
}  // namespace myops::rules
