#include "loader/system/apply.h"

#include <filesystem>

#include "loader/system/candidate.h"
#include "loader/system/log.h"
#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::is_reason;
using ::testing::IsEmpty;
using ::testing::Optional;
using testing::TemporaryFolder;

// A plan over files that need not be libraries, since the opener of these tests opens nothing.
class ApplyTest : public ::testing::Test {
 protected:
  // A library that defines NAMESPACE::f, or has a kernel for it.
  void add(const std::string& name, const std::string& op_namespace, bool defines) {
    rules::Manifest manifest;
    manifest.op_namespace = op_namespace;
    if (defines) manifest.defines = {op_namespace + "::f() -> ()"};
    if (!defines) manifest.kernels["CPU"][op_namespace + "::f"] = {};
    add(name, std::move(manifest));
  }
  // One with a kernel for ns::f_, which writes to its argument.
  void add_writing(const std::string& name, const std::string& key) {
    rules::Manifest manifest;
    manifest.op_namespace = "ns";
    manifest.kernels[key]["ns::f_"].schema = "f_(Tensor(a!) self) -> Tensor(a!)";
    add(name, std::move(manifest));
  }
  void add(const std::string& name, rules::Manifest manifest) {
    rules::Verdict verdict;
    verdict.file = candidate_at(folder_.write(name, "x"));
    verdict.name = name;
    verdict.kind = rules::VerdictKind::kUsable;
    verdict.manifest = std::move(manifest);
    plan_.order.push_back(plan_.files.size());
    plan_.files.push_back(std::move(verdict));
  }

  std::vector<rules::OpenOutcome> run() {
    return apply(plan_, {}, request_, torch_, [this](const std::string& path) -> std::optional<Reason> {
      opened_.push_back(path);
      if (path == failing_) return Reason{Code::kOpenFailed, path, "", "no", ""};
      if (path == replaced_) std::filesystem::rename(folder_.write("new", "x"), path);
      return std::nullopt;
    });
  }

  // What run() writes to the log.
  std::vector<std::string> logged_by_run() {
    std::vector<std::string> lines;
    set_log([](const char*, const char* line,
               void* user) { static_cast<std::vector<std::string>*>(user)->emplace_back(line); },
            &lines);
    run();
    set_log(nullptr, nullptr);
    return lines;
  }

  const TemporaryFolder folder_;
  rules::TorchFacts torch_;
  rules::Request request_;
  rules::LoadPlan plan_;
  std::vector<std::string> opened_;
  std::string failing_;
  std::string replaced_;  // while it is opened
};

TEST_F(ApplyTest, OpensInThePlansOrder) {
  add("libb.so", "ns", true);
  add("liba.so", "ns", false);
  const auto outcomes = run();
  EXPECT_THAT(opened_, ElementsAre(folder_ / "libb.so", folder_ / "liba.so"));
  ASSERT_EQ(outcomes.size(), 2u);
  for (const auto& outcome : outcomes) {
    EXPECT_TRUE(outcome.opened);
    EXPECT_FALSE(outcome.already);
    EXPECT_FALSE(outcome.reason);
  }
}

TEST_F(ApplyTest, OpensTheFileThatWasJudgedByItsRealPath) {
  add("libreal.so", "ns", true);
  folder_.link("libreal.so", "liblink.so");
  plan_.files[0].file = candidate_at(folder_ / "liblink.so");
  run();
  EXPECT_THAT(opened_, ElementsAre(folder_ / "libreal.so"));
}

TEST_F(ApplyTest, LeavesAloneWhatIsThere) {
  add("liba.so", "ns", true);
  plan_.already = {0};
  const auto outcomes = run();
  EXPECT_THAT(opened_, IsEmpty());
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].already);
  EXPECT_FALSE(outcomes[0].opened);
}

TEST_F(ApplyTest, DoesNotOpenWhatChangedSinceItWasJudged) {
  add("liba.so", "ns", true);
  folder_.write("liba.so", "another");
  const auto outcomes = run();
  EXPECT_THAT(opened_, IsEmpty());
  EXPECT_THAT(outcomes[0].reason, Optional(is_reason(Code::kChangedWhileLoading, folder_ / "liba.so", _, _)));
  EXPECT_FALSE(outcomes[0].opened);
}

TEST_F(ApplyTest, NothingReliesOnWhatWasReplacedWhileItWasOpened) {
  add("libschema.so", "ns", true);
  add("libkernels.so", "ns", false);
  replaced_ = folder_ / "libschema.so";
  const auto outcomes = run();
  EXPECT_THAT(opened_, ElementsAre(replaced_));
  EXPECT_THAT(outcomes[0].reason, Optional(is_reason(Code::kChangedWhileLoading, replaced_, _, _)));
  EXPECT_FALSE(outcomes[0].opened);
  EXPECT_THAT(outcomes[1].reason, Optional(is_reason(Code::kSchemaMissing, "ns::f", "a schema library",
                                                     replaced_ + " could not be opened")));
}

TEST_F(ApplyTest, OneFailureDoesNotStopOthers) {
  add("liba.so", "ns", false);
  add("libb.so", "ns", false);
  failing_ = folder_ / "liba.so";
  const auto outcomes = run();
  EXPECT_THAT(outcomes[0].reason, Optional(is_reason(Code::kOpenFailed, failing_, "", "no")));
  EXPECT_TRUE(outcomes[1].opened);
}

TEST_F(ApplyTest, KernelsAreNotOpenedWithoutTheirSchema) {
  add("libschema.so", "ns", true);
  add("libkernels.so", "ns", false);
  add("libother.so", "other", false);
  failing_ = folder_ / "libschema.so";
  const auto outcomes = run();
  EXPECT_THAT(opened_, ElementsAre(folder_ / "libschema.so", folder_ / "libother.so"));
  EXPECT_THAT(outcomes[1].reason, Optional(is_reason(Code::kSchemaMissing, "ns::f", "a schema library",
                                                     failing_ + " could not be opened")));
  EXPECT_FALSE(outcomes[1].opened);
  EXPECT_TRUE(outcomes[2].opened);
}

TEST_F(ApplyTest, BackendThatWritesIsNotOpenedWithoutItsGuard) {
  add_writing("libguard.so", "ADInplaceOrView");
  add_writing("libcpu.so", "CPU");
  add_writing("libcomposite.so", "CompositeExplicitAutograd");
  failing_ = folder_ / "libguard.so";
  const auto outcomes = run();
  EXPECT_THAT(opened_, ElementsAre(failing_, folder_ / "libcomposite.so"));
  EXPECT_THAT(outcomes[1].reason, Optional(is_reason(Code::kInplaceOrViewMissing, "ns::f_", "ADInplaceOrView",
                                                     failing_ + " (open-failed)")));
  EXPECT_FALSE(plan_.tainted);
}

TEST_F(ApplyTest, BackendThatIsWantedWithoutItsGuardTaintsThePlan) {
  add_writing("libguard.so", "ADInplaceOrView");
  add_writing("libcpu.so", "CPU");
  request_.allow_incomplete = true;
  failing_ = folder_ / "libguard.so";
  EXPECT_TRUE(run()[1].opened);
  EXPECT_TRUE(plan_.tainted);
  EXPECT_THAT(plan_.notes,
              Contains("libcpu.so is loaded without ADInplaceOrView kernels for ns::f_: gradients that pass through "
                       "these can be wrong"));
}

TEST_F(ApplyTest, PlanTellsOfWhatIsLeftAfterAFailure) {
  add("libcpu.so", "ns", false);
  plan_.files[0].manifest->kernels["CPU"]["ns::f"].schema = "f() -> ()";
  add("libautograd.so", "ns", false);
  plan_.files[1].manifest->kernels = {{"Autograd", plan_.files[0].manifest->kernels["CPU"]}};
  request_.require = {"CPU", "Autograd"};
  failing_ = folder_ / "libautograd.so";
  run();
  EXPECT_THAT(plan_.missing, ElementsAre(is_reason(Code::kKeyNotServed, "Autograd", "", failing_ + " (open-failed)")));
  EXPECT_THAT(plan_.notes, Contains("gradients would be missing for ns::f: no library with their Autograd kernels "
                                    "is taken (refused: " +
                                    failing_ + " (open-failed))"));
}

TEST_F(ApplyTest, CudaLibraryIsPrecededByC10CudaOfTheTorch) {
  torch_.lib_dir = "/torch/lib";
  add("libcuda.so", "ns", false);
  plan_.files[0].manifest->cuda.emplace();
  run();
  EXPECT_THAT(opened_, ElementsAre("/torch/lib/libc10_cuda.so", folder_ / "libcuda.so"));
}

TEST_F(ApplyTest, CudaLibraryIsNotOpenedWithoutC10Cuda) {
  torch_.lib_dir = "/torch/lib";
  add("libcuda.so", "ns", false);
  plan_.files[0].manifest->cuda.emplace();
  failing_ = "/torch/lib/libc10_cuda.so";
  const auto outcomes = run();
  EXPECT_THAT(opened_, ElementsAre(failing_));
  EXPECT_THAT(outcomes[0].reason, Optional(is_reason(Code::kOpenFailed, failing_, "", "no")));
}

TEST_F(ApplyTest, SaysEachFileBeforeItIsOpened) {
  add("liba.so", "ns", true);
  EXPECT_THAT(logged_by_run(), ElementsAre("opening " + folder_ / "liba.so"));
}

TEST_F(ApplyTest, FileWithALineBreakInItsNameIsOneLine) {
  add("liba\nmyops: b.so", "ns", true);
  EXPECT_THAT(logged_by_run(), ElementsAre("opening " + folder_ / "liba\\x0amyops: b.so"));
}

TEST(OpenTorch, OpensC10ThenTorchCpuAndStopsAtTheFirstFailure) {
  rules::TorchFacts torch;
  torch.lib_dir = "/torch/lib";
  std::vector<std::string> opened;
  EXPECT_EQ(open_torch(torch,
                       [&](const std::string& path) -> std::optional<Reason> {
                         opened.push_back(path);
                         return std::nullopt;
                       }),
            std::nullopt);
  EXPECT_THAT(opened, ElementsAre("/torch/lib/libc10.so", "/torch/lib/libtorch_cpu.so"));
  const auto failed = open_torch(torch, [](const std::string& path) -> std::optional<Reason> {
    return Reason{Code::kOpenFailed, path, "", "no", ""};
  });
  EXPECT_THAT(failed, Optional(is_reason(Code::kOpenFailed, "/torch/lib/libc10.so", "", "no")));
}

}  // namespace
}  // namespace myops::system
