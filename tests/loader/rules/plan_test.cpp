#include "loader/rules/plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::HasReason;
using myops::testing::IsReason;
using samples::file_named;
using samples::kernels_manifest;
using samples::names_in_order;
using samples::scale_manifest;
using samples::usable;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Plan, IsEmptyWithoutFiles) {
  const auto plan = make_plan({}, {}, {}, {});
  EXPECT_THAT(plan.files, IsEmpty());
  EXPECT_THAT(plan.order, IsEmpty());
  EXPECT_THAT(plan.missing, IsEmpty());
  EXPECT_FALSE(plan.tainted);
}

TEST(Plan, OpensSchemaThenGuardsThenBackendsThenOthers) {
  const auto plan =
      make_plan({usable(kernels_manifest("a_autograd", {"Autograd"})), usable(kernels_manifest("b_meta", {"Meta"})),
                 usable(kernels_manifest("c_inplace", {"ADInplaceOrView"})), usable(kernels_manifest("d_cpu", {"CPU"})),
                 usable(samples::schema_manifest())},
                {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "c_inplace", "b_meta", "d_cpu", "a_autograd"));
  EXPECT_THAT(plan.already, IsEmpty());
}

TEST(Plan, LeavesTheVerdictsOfJudgeAsTheyAre) {
  const Verdict foreign = samples::judged(samples::foreign_evidence("torchvision"));
  const auto plan = make_plan(
      {foreign, samples::refused(scale_manifest("old", {"CPU"})), usable(samples::schema_manifest())}, {}, {}, {});
  EXPECT_EQ(file_named(plan, "torchvision").kind, VerdictKind::kForeign);
  EXPECT_EQ(file_named(plan, "old").kind, VerdictKind::kRejected);
  EXPECT_THAT(file_named(plan, "old").reasons, ElementsAre(IsReason(Code::kTorchVersionMismatch)));
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
}

// A folder with something of everything.
std::vector<Verdict> crowd() {
  Manifest narrow = kernels_manifest("myops_cpu", {"CPU"}), wide = narrow,
           old = kernels_manifest("myops_meta", {"Meta"});
  wide.cpu.level = "x86-64-v3";
  old.release = "0";
  Manifest stray = samples::manifest("stray_schema");
  stray.set = "stray";
  stray.defines = {samples::kScale};
  const Verdict schema = usable(samples::schema_manifest());
  Verdict copy = schema;
  copy.file.path = copy.file.real_path = "/p/libcopy.so";
  copy.file.inode += 5000;
  Verdict wide_file = usable(wide);
  wide_file.file.path = wide_file.file.real_path = "/p/libmyops_cpu_v3.so";
  return {schema,
          copy,
          usable(narrow),
          wide_file,
          usable(old),
          usable(stray),
          usable(kernels_manifest("other_cpu", {"CPU"})),
          usable(kernels_manifest("autograd", {"Autograd"})),
          usable(kernels_manifest("inplace", {"ADInplaceOrView"})),
          samples::refused(kernels_manifest("cuda", {"CUDA"})),
          samples::judged(samples::foreign_evidence("foreign"))};
}

std::string described(const LoadPlan& plan) {
  std::string text;
  for (const std::size_t file : plan.order) text += plan.files[file].file.path + "\n";
  for (const Verdict& verdict : plan.files) {
    text += verdict.file.path + " " + std::string(to_text(verdict.kind)) + "\n";
    for (const Reason& reason : verdict.reasons) text += "  " + to_text(reason) + "\n";
  }
  for (const std::string& note : plan.notes) text += note + "\n";
  return text;
}

TEST(Plan, DoesNotDependOnTheOrderWithinAFolder) {
  std::vector<Verdict> verdicts = crowd();
  const LoadPlan first = make_plan(verdicts, {}, {}, {});
  EXPECT_THAT(names_in_order(first), ElementsAre("myops_schema", "inplace", "myops_cpu", "autograd"));
  EXPECT_EQ(first.files[first.order[2]].file.path, "/p/libmyops_cpu_v3.so");
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::shuffle(verdicts.begin(), verdicts.end(), random);
    ASSERT_EQ(described(make_plan(verdicts, {}, {}, {})), described(first));
  }
}

TEST(Plan, DependsOnTheOrderOfTheFolders) {
  const Verdict one = usable(samples::schema_manifest(), "/one"), two = usable(samples::schema_manifest(), "/two");
  EXPECT_EQ(make_plan({one, two}, {}, {}, {}).files[make_plan({one, two}, {}, {}, {}).order[0]].file.folder, "/one");
  EXPECT_EQ(make_plan({two, one}, {}, {}, {}).files[make_plan({two, one}, {}, {}, {}).order[0]].file.folder, "/two");
}

// The stray schema library comes first, and is refused because its own kernel does not fit: then ours can be taken.
TEST(Plan, StartsAgainWithoutASchemaLibraryThatIsRefusedLater) {
  Manifest all_in_one = scale_manifest("all_in_one", {"CPU"});
  all_in_one.set = "theirs";
  all_in_one.defines = {samples::kScale, samples::kBump};
  all_in_one.kernels["CPU"]["myops::scale"].cpp = "at::Tensor (at::Tensor const&, long)";
  const auto plan =
      make_plan({usable(all_in_one, "/first"), usable(samples::schema_manifest()),
                 usable(kernels_manifest("cpu", {"CPU"})), usable(kernels_manifest("inplace", {"ADInplaceOrView"}))},
                {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "inplace", "cpu"));
  EXPECT_THAT(file_named(plan, "all_in_one").reasons, ElementsAre(IsReason(Code::kSignatureMismatch)));
  EXPECT_THAT(file_named(plan, "myops_schema").reasons, IsEmpty());
}

// A chain: `base` defines a; `middle` has kernels for a and defines b; `top` has kernels for b.
TEST(Plan, RefusesWhatARefusedLibraryWouldHaveDefinedDownTheChain) {
  Manifest base = samples::manifest("base"), middle = samples::manifest("middle"), top = samples::manifest("top");
  base.set = "base", middle.set = "middle", top.set = "top";
  base.defines = {"a::f(Tensor self) -> Tensor"};
  middle.defines = {"b::f(Tensor self) -> Tensor"};
  middle.kernels["CPU"]["a::f"] = {"f(Tensor self) -> Tensor", "", "", "r"};
  top.kernels["CPU"]["b::f"] = {"f(Tensor self) -> Tensor", "", "", "r"};
  EXPECT_THAT(names_in_order(make_plan({usable(base), usable(middle), usable(top)}, {}, {}, {})),
              ElementsAre("base", "middle", "top"));

  const auto plan = make_plan({samples::refused(base), usable(middle), usable(top)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(file_named(plan, "middle").reasons, ElementsAre(IsReason(Code::kSchemaMissing)));
  EXPECT_THAT(file_named(plan, "top").reasons, ElementsAre(IsReason(Code::kSchemaMissing)));
}

// An all-in-one plugin that writes without ADInplaceOrView is refused last of all; what it defined goes with it.
TEST(Plan, RefusesDependantsOfALibraryThatTurnsOutIncomplete) {
  Manifest all_in_one = kernels_manifest("all_in_one", {"CPU"});
  all_in_one.defines = {samples::kScale, samples::kBump};
  const auto plan = make_plan({usable(all_in_one), usable(scale_manifest("meta", {"Meta"}))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(file_named(plan, "all_in_one").reasons, ElementsAre(IsReason(Code::kInplaceOrViewMissing)));
  EXPECT_THAT(file_named(plan, "meta").reasons,
              ElementsAre(IsReason(Code::kSchemaMissing, _, "/p/liball_in_one.so was refused")));
  EXPECT_THAT(file_named(plan, "meta").reasons[0].hint, HasSubstr("inplace-or-view-missing"));
}

class PlanAfterALoad : public ::testing::Test {
 protected:
  LoadPlan plan(std::vector<Verdict> more = {}, const Request& request = {}) const {
    more.insert(more.begin(), {schema, cpu, inplace});
    return make_plan(more, before, request, {schema.file.real_path, cpu.file.real_path, inplace.file.real_path});
  }

  Verdict schema = usable(samples::schema_manifest());
  Verdict cpu = usable(kernels_manifest("myops_cpu", {"CPU"}));
  Verdict inplace = usable(kernels_manifest("inplace", {"ADInplaceOrView"}));
  DispatcherState before = samples::loaded({samples::schema_manifest(), kernels_manifest("myops_cpu", {"CPU"}),
                                            kernels_manifest("inplace", {"ADInplaceOrView"})});
};

TEST_F(PlanAfterALoad, KeepsWhatIsThereAndOpensNothingAgain) {
  const LoadPlan again = plan();
  EXPECT_THAT(names_in_order(again), ElementsAre("myops_schema", "inplace", "myops_cpu"));
  EXPECT_EQ(again.already, again.order);
  for (const Verdict& file : again.files) {
    EXPECT_EQ(file.kind, VerdictKind::kUsable);
    EXPECT_THAT(file.reasons, IsEmpty());
    EXPECT_THAT(file.notes, Contains("in this process already"));
  }
}

// A later load picks up what was installed since.
TEST_F(PlanAfterALoad, TakesWhatIsNew) {
  const LoadPlan more = plan({usable(kernels_manifest("a_autograd", {"Autograd"}))});
  EXPECT_THAT(names_in_order(more), ElementsAre("myops_schema", "inplace", "myops_cpu", "a_autograd"));
  EXPECT_EQ(more.already.size(), 3u);
}

TEST_F(PlanAfterALoad, TakesNoBetterVariantOfWhatIsThere) {
  Manifest wide = kernels_manifest("myops_cpu", {"CPU"});
  wide.cpu.level = "x86-64-v3";
  const LoadPlan more = plan({usable(wide, "/wide")});
  EXPECT_EQ(more.order.size(), 3u);
  EXPECT_THAT(samples::file_at(more, "/wide/libmyops_cpu.so").reasons,
              ElementsAre(IsReason(Code::kSuperseded, "", "/p/libmyops_cpu.so (x86-64)")));
}

TEST_F(PlanAfterALoad, KeepsAFileThatWouldBeRefusedNow) {
  cpu.kind = VerdictKind::kRejected;
  cpu.reasons = {{Code::kWorldWritable, "/p/libmyops_cpu.so", "", "mode 0666", ""}};
  const LoadPlan again = plan();
  EXPECT_THAT(names_in_order(again), ElementsAre("myops_schema", "inplace", "myops_cpu"));
  EXPECT_EQ(file_named(again, "myops_cpu").kind, VerdictKind::kUsable);
  EXPECT_THAT(
      file_named(again, "myops_cpu").notes,
      Contains("would not be loaded now: world-writable: /p/libmyops_cpu.so can be written by anyone (mode 0666)"));
}

TEST_F(PlanAfterALoad, NotesAForeignFileThatIsThere) {
  Verdict foreign = samples::judged(samples::foreign_evidence("x"));
  const LoadPlan again = make_plan({foreign}, before, {}, {foreign.file.real_path});
  EXPECT_THAT(again.order, IsEmpty());
  EXPECT_EQ(again.files[0].kind, VerdictKind::kForeign);
  EXPECT_THAT(again.files[0].notes, ElementsAre("in this process already"));
}

TEST_F(PlanAfterALoad, ServesRequirementsWithWhatIsThere) {
  Request request;
  request.require = {"CPU"};
  EXPECT_THAT(plan({}, request).missing, IsEmpty());
}

TEST_F(PlanAfterALoad, IsTaintedByAnIncompleteSetThatIsThere) {
  const auto incomplete =
      make_plan({schema, cpu}, samples::loaded({samples::schema_manifest(), kernels_manifest("myops_cpu", {"CPU"})}),
                {}, {schema.file.real_path, cpu.file.real_path});
  EXPECT_THAT(names_in_order(incomplete), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_TRUE(incomplete.tainted);
}

// A device library: torch defines these operators, and brings their gradients and version counters.
TEST(Plan, TakesKernelsForTorchsOwnOperatorsWithoutAskingMore) {
  Manifest device = samples::manifest("device");
  device.set = device.op_namespace = "device";
  device.kernels["PrivateUse1"]["aten::add_.Tensor"] = {"add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "",
                                                        "", "r"};
  const auto plan = make_plan({usable(device)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("device"));
  EXPECT_THAT(plan.notes, IsEmpty());
  EXPECT_THAT(plan.files[0].notes, IsEmpty());
  EXPECT_FALSE(plan.tainted);
}

// Case 17: thousands of foreign files cost little, and change nothing.
TEST(Plan, IsQuickAmongThousandsOfForeignFiles) {
  std::vector<Verdict> verdicts = crowd();
  const auto alone = names_in_order(make_plan(verdicts, {}, {}, {}));
  for (int i = 0; i < 10000; ++i) verdicts.push_back(samples::judged(samples::foreign_evidence(std::to_string(i))));
  EXPECT_EQ(names_in_order(make_plan(verdicts, {}, {}, {})), alone);
}

// Every library refused for a reason of its own, round after round, still comes to an end.
TEST(Plan, EndsHoweverManyAreRefusedOneAfterTheOther) {
  std::vector<Verdict> verdicts;
  constexpr int kLength = 60;
  for (int i = 0; i < kLength; ++i) {
    Manifest link = samples::manifest("link" + std::to_string(100 + i));
    link.set = link.name;
    link.defines = {"n" + std::to_string(i) + "::f(Tensor self) -> Tensor"};
    link.kernels["CPU"]["n" + std::to_string(i + 1) + "::f"] = {"f(Tensor self) -> Tensor", "", "", "r"};
    verdicts.push_back(usable(link));
  }
  const auto plan = make_plan(verdicts, {}, {}, {});
  EXPECT_THAT(plan.order, IsEmpty()) << "the last link's operator is defined by nobody, so none of them can stay";
  for (const Verdict& file : plan.files) {
    EXPECT_THAT(file.reasons, ElementsAre(IsReason(Code::kSchemaMissing)));
    EXPECT_LT(to_text(file.reasons[0]).size(), 400u) << "a reason does not grow with the chain";
  }
}

TEST(Plan, CopiesOfWhatLacksAGuardAreRefusedAlikeAndAtOnce) {
  std::vector<Verdict> files = {usable(samples::schema_manifest())};
  for (int i = 0; i < 1000; ++i) {
    files.push_back(usable(kernels_manifest("myops_cpu", {"CPU"}), "/p" + std::to_string(i)));
  }
  const auto start = std::chrono::steady_clock::now();
  const LoadPlan plan = make_plan(std::move(files), {}, {}, {});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "not a pass over all for each";
  EXPECT_THAT(names_in_order(plan), ::testing::ElementsAre("myops_schema"));
  for (const Verdict& verdict : plan.files) {
    if (verdict.name != "myops_cpu") continue;
    ASSERT_EQ(verdict.reasons.size(), 1U);
    ASSERT_EQ(verdict.reasons[0].code, Code::kInplaceOrViewMissing);
  }
}

}  // namespace
}  // namespace myops::rules
