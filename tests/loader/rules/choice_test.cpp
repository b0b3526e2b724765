#include "loader/rules/choice.h"

#include <gtest/gtest.h>

#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

TEST(Choice, MeansALibraryByItsNameOrItsFilesName) {
  const Verdict cpu = samples::usable(samples::scale_manifest("myops_cpu", {"CPU"}));
  for (const char* entry : {"myops_cpu", "myops_*", "libmyops_cpu.so", "*_cpu.so", "/p/libmyops_cpu.so", "/p/*"}) {
    EXPECT_TRUE(disables(entry, cpu)) << entry;
    EXPECT_TRUE(prefers(entry, cpu)) << entry;
  }
  for (const char* entry : {"cpu", "myops_cuda", "/q/libmyops_cpu.so", "p/libmyops_cpu.so", ""}) {
    EXPECT_FALSE(disables(entry, cpu)) << entry;
    EXPECT_FALSE(prefers(entry, cpu)) << entry;
  }
}

TEST(Choice, MeansAVariantByItsComponentsName) {
  Verdict wide = samples::usable(samples::scale_manifest("myops_cpu", {"CPU"}));
  wide.file.path = wide.file.real_path = "/p/libmyops_cpu.x86-64-v4.so";
  for (const char* entry : {"myops_cpu", "myops_cpu.x86-64-v4", "myops_cpu.*", "libmyops_cpu.x86-64-v4.so"}) {
    EXPECT_TRUE(disables(entry, wide)) << entry;
  }
  EXPECT_FALSE(disables("myops_cpu.x86-64-v3", wide));
  EXPECT_FALSE(disables("myops_cpu.*", samples::usable(samples::scale_manifest("myops_cpu", {"CPU"}))));
}

TEST(Choice, DisablesByKeyOnlyWhatServesNoOther) {
  const Verdict cpu = samples::usable(samples::scale_manifest("myops_cpu", {"CPU"}));
  const Verdict both = samples::usable(samples::scale_manifest("both", {"CPU", "Meta"}));
  const Verdict autograd = samples::usable(samples::scale_manifest("grad", {"AutogradCPU", "AutogradCUDA"}));
  EXPECT_TRUE(disables("CPU", cpu));
  EXPECT_FALSE(disables("CPU", both));
  EXPECT_FALSE(disables("CUDA", cpu));
  EXPECT_TRUE(disables("Autograd", autograd));
  EXPECT_FALSE(disables("AutogradCPU", autograd));
  EXPECT_FALSE(disables("CPU", samples::usable(samples::schema_manifest()))) << "it has no kernels at all";
  EXPECT_FALSE(prefers("CPU", cpu)) << "`prefer` knows names only";
}

TEST(Choice, KnowsFilesWithoutAManifestByName) {
  const Verdict foreign = samples::judged(samples::foreign_evidence("other"));
  EXPECT_TRUE(disables("other", foreign));
  EXPECT_FALSE(disables("CPU", foreign));
}

TEST(Choice, KnowsWhatIsAboveTheCap) {
  Manifest manifest = samples::scale_manifest("x", {"CPU"});
  manifest.cpu.level = "x86-64-v3";
  const Verdict verdict = samples::usable(manifest);
  Request request;
  for (const char* cap : {"x86-64", "x86-64-v2"}) {
    request.cpu_cap = cap;
    EXPECT_TRUE(is_above_cap(verdict, request)) << cap;
  }
  for (const char* cap : {"x86-64-v3", "x86-64-v4", ""}) {
    request.cpu_cap = cap;
    EXPECT_FALSE(is_above_cap(verdict, request)) << cap;
  }
}

TEST(Choice, TakesTheFilesNameOffAPath) {
  EXPECT_EQ(file_name("/p/libx.so"), "libx.so");
  EXPECT_EQ(file_name("libx.so"), "libx.so");
  EXPECT_EQ(component_name("/p/libx.y.so"), "x.y");
  EXPECT_EQ(component_name("x"), "x");
}

}  // namespace
}  // namespace myops::rules
