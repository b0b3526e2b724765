#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Gpu kGeForce = {"NVIDIA GeForce RTX 4090", "8.9"};

class CudaChecks : public ::testing::Test {
 protected:
  Verdict verdict() const { return judge(samples::evidence(manifest), host, torch, {}); }

  Manifest manifest = samples::cuda_manifest();
  HostFacts host = samples::gpu_host();
  TorchFacts torch = samples::torch();
};

TEST_F(CudaChecks, TakesACudaLibraryOnAMachineForIt) {
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, IsEmpty());
  EXPECT_EQ(verdict().kind, VerdictKind::kUsable);
}

// Case 110.
TEST_F(CudaChecks, RefusesATorchWithoutCuda) {
  torch.cuda = "";
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kCudaNotInTorch, "13.0", "CPU-only torch 2.15.0")));
}

TEST_F(CudaChecks, HasADoubtWhereOnlyTheRunningTorchKnowsItsCuda) {
  torch.cuda = "";
  torch.mapped = torch.cuda_mapped = true;
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre("built for CUDA 13.0: that of this torch is not known"));
}

TEST_F(CudaChecks, RefusesARocmTorch) {
  torch.cuda = "";
  torch.hip = "6.4";
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kTorchIsRocm, "13.0", "ROCm 6.4")));
}

// Case 37: the major version of CUDA counts.
TEST_F(CudaChecks, ComparesMajorVersionsOfCuda) {
  struct Row {
    const char *built, *present;
    bool fits;
  };
  for (const Row& row : {Row{"12.6", "12.8", true},
                         {"12.8", "12.6", true},
                         {"11.8", "12.8", false},
                         {"13.0", "12.8", false},
                         {"12.8", "13.2", false},
                         {"13.0", "13.2", true}}) {
    manifest.cuda->runtime = row.built;
    torch.cuda = row.present;
    if (row.fits) {
      EXPECT_THAT(verdict().reasons, IsEmpty()) << row.built << " on " << row.present;
    } else {
      EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kCudaVersionMismatch, row.built, row.present)));
    }
  }
}

TEST_F(CudaChecks, OnlyNotesACudaVersionOfTorchThatIsNone) {
  torch.cuda = "unknown";
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre(HasSubstr("built for CUDA 13.0")));
}

TEST_F(CudaChecks, OnRequestOpensWithoutAGpu) {
  host.gpus.clear();
  host.driver = "";
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kNoGpu, "", "no NVIDIA driver")));
  Request request;
  request.allow_no_gpu = true;
  const Verdict allowed = judge(samples::evidence(manifest), host, torch, request);
  EXPECT_THAT(allowed.reasons, IsEmpty());
  EXPECT_THAT(allowed.notes, ElementsAre(HasSubstr("none of its kernels can run")));
}

TEST_F(CudaChecks, AsksForLibtorchCudaWhereTorchIsMappedWithoutIt) {
  torch.mapped = true;
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReasonAbout("libtorch_cuda.so", Code::kTorchCudaNotLoaded)));
  torch.cuda_mapped = true;
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

TEST_F(CudaChecks, AsksForNoLibtorchCudaThatWasLeftOutForWantOfAGpu) {
  torch.mapped = true;
  Request request;
  request.open_torch = true;
  EXPECT_THAT(judge(samples::evidence(manifest), host, torch, request).reasons,
              ElementsAre(IsReason(Code::kTorchCudaNotLoaded)));
  host.gpus.clear();
  EXPECT_THAT(judge(samples::evidence(manifest), host, torch, request).reasons, ElementsAre(IsReason(Code::kNoGpu)));
  request.allow_no_gpu = true;
  EXPECT_THAT(judge(samples::evidence(manifest), host, torch, request).reasons,
              ElementsAre(IsReason(Code::kTorchCudaNotLoaded)));
}

// Another libcuda may serve there: refusing would take a machine's working set-up away.
TEST_F(CudaChecks, OnlyNotesAnOldDriverWhereForwardCompatibilityMayServe) {
  host.driver = "535.104.05";
  for (const std::vector<Gpu>& gpus : {std::vector<Gpu>{{"H100", "9.0"}}, {kGeForce, {"NVIDIA GPU", ""}}}) {
    host.gpus = gpus;
    EXPECT_THAT(verdict().reasons, IsEmpty());
    EXPECT_THAT(verdict().notes, Contains("CUDA 13.0 needs NVIDIA driver 580 or newer, this is 535.104.05: its kernels "
                                          "run only where the forward-compatibility package (cuda-compat) is in use"));
  }
  host.gpus = {kGeForce};
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kDriverTooOld, "580", "535.104.05")));
}

// Case 105: three distinct answers.
TEST_F(CudaChecks, TellsNoDriverFromNoDeviceFromAnOldDriver) {
  host.gpus.clear();
  host.driver = "";
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kNoGpu, "", "no NVIDIA driver")));
  host.driver = "580.65.06";
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kNoGpu, "", "driver 580.65.06, but no device")));
  host = samples::gpu_host();
  host.gpus = {kGeForce};
  manifest.cuda->runtime = "12.8";
  torch.cuda = "12.8";
  host.driver = "470.42.01";  // of CUDA 11.4
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kDriverTooOld, "525", "470.42.01")));
}

TEST_F(CudaChecks, HoldsDriversAgainstTheMinimumOfTheMajorVersion) {
  struct Row {
    const char *runtime, *driver, *oldest;  // oldest: "" where the driver is new enough
  };
  for (const Row& row : {Row{"11.8", "450.80.02", ""},
                         {"11.8", "450.80.01", "450.80.02"},
                         {"12.0", "525.60.13", ""},
                         {"12.9", "524.99", "525"},
                         {"13.0", "580.65.06", ""},
                         {"13.2", "579.1", "580"},
                         {"13.0", "999", ""}}) {
    manifest.cuda->runtime = torch.cuda = row.runtime;
    host.driver = row.driver;
    host.gpus = {kGeForce};
    if (row.oldest == std::string()) {
      EXPECT_THAT(verdict().reasons, IsEmpty()) << row.runtime << " on " << row.driver;
    } else {
      EXPECT_THAT(verdict().reasons, ElementsAre(IsReason(Code::kDriverTooOld, row.oldest, row.driver)));
    }
  }
}

TEST_F(CudaChecks, OnlyNotesDriversAndRuntimesThatItDoesNotKnow) {
  manifest.cuda->runtime = torch.cuda = "14.0";
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre(HasSubstr("new enough for CUDA 14.0 is not known")));
  manifest.cuda->runtime = torch.cuda = "13.0";
  host.driver = "custom";
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre(HasSubstr("driver custom")));
  host.driver = "";
  EXPECT_THAT(verdict().reasons, IsEmpty()) << "WSL shows a device and no kernel driver";
}

// Case 99.
TEST_F(CudaChecks, ListsEachGpuThatItHoldsNoCodeFor) {
  host.gpus = {{"A100", "8.0"}, {"T4", "7.5"}, {"H100", "9.0"}, {"RTX 5090", "12.0"}, {"T4", "7.5"}};
  EXPECT_THAT(verdict().reasons,
              UnorderedElementsAre(IsReasonAbout("T4", Code::kGpuArchMissing, "sm_80, sm_90", "7.5"),
                                   IsReasonAbout("RTX 5090", Code::kGpuArchMissing, "sm_80, sm_90", "12.0")));
  manifest.cuda->code.ptx = {"75"};
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

// Case 99: whether the operators in it are called there, nobody knows.
TEST_F(CudaChecks, NotesGpusForWhichAPartOfItHoldsNoCode) {
  host.gpus = {{"A100", "8.0"}, {"H100", "9.0"}};
  manifest.cuda->parts = {{{"80", "90"}, {}}, {{"90"}, {}}};
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre("a part of it has code for sm_90 only: on A100 (8.0) its kernels fail, if "
                                           "they are called there"));
  manifest.cuda->parts = {{{"80", "90"}, {}}, {{}, {"75"}}};
  EXPECT_THAT(verdict().notes, IsEmpty());
}

TEST_F(CudaChecks, OnlyNotesAGpuOfUnknownCapability) {
  host.gpus = {{"", ""}};
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre(HasSubstr("its compute capability is not")));
}

TEST_F(CudaChecks, AsksNoCodeOfALibraryThatHasNoneOfItsOwn) {
  manifest.cuda->code.sm.clear();
  host.gpus = {{"old", "5.0"}};
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

TEST_F(CudaChecks, SaysEverythingAtOnce) {
  torch.cuda = "12.8";
  torch.mapped = true;
  host.driver = "470.42.01";
  host.gpus = {{"NVIDIA GeForce RTX 2080", "7.5"}};
  EXPECT_THAT(verdict().reasons,
              UnorderedElementsAre(IsReason(Code::kCudaVersionMismatch), IsReason(Code::kTorchCudaNotLoaded),
                                   IsReason(Code::kDriverTooOld), IsReason(Code::kGpuArchMissing)));
}

TEST_F(CudaChecks, LooksAtTheMachineWithoutATorchToo) {
  host.gpus.clear();
  const Verdict verdict = judge(samples::evidence(manifest), host, std::nullopt, {});
  EXPECT_THAT(verdict.reasons, UnorderedElementsAre(IsReason(Code::kTorchNotFound), IsReason(Code::kNoGpu)));
}

// Case 111: a CPU library built with a CUDA torch runs with any.
TEST_F(CudaChecks, LeavesLibrariesWithoutACudaPartAlone) {
  manifest = samples::scale_manifest("myops_cpu", {"CPU"});
  host = samples::host();
  torch.cuda = "";
  torch.hip = "6.4";
  torch.mapped = true;
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

}  // namespace
}  // namespace myops::rules
