#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using samples::kernels_manifest;
using samples::usable;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The schema of the one operator that the others have kernels for.
std::vector<Verdict> with_schema(std::vector<Verdict> verdicts) {
  Manifest schema = samples::schema_manifest();
  std::erase_if(schema.defines, [](const std::string& text) { return text.find("scale(") == std::string::npos; });
  verdicts.push_back(usable(schema));
  return verdicts;
}

TEST(PlanNotes, HasNothingToSayOfACompleteSet) {
  const auto plan =
      make_plan({usable(samples::schema_manifest()),
                 usable(kernels_manifest("all", {"CPU", "Meta", "Autograd", "ADInplaceOrView", "Functionalize"}))},
                {}, {}, {});
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(PlanNotes, SaysWhatNobodyComputes) {
  const std::string note =
      "nothing computes myops::scale, unless Python gives kernels: no library with theirs for a device is taken";
  const auto computed_by = [](std::vector<Verdict> verdicts) {
    return make_plan(with_schema(std::move(verdicts)), {}, {}, {}).notes;
  };
  EXPECT_THAT(computed_by({usable(samples::scale_manifest("meta", {"Meta", "Autograd"}))}), Contains(HasSubstr(note)));
  EXPECT_THAT(computed_by({samples::refused(samples::scale_manifest("cpu", {"CPU"}))}),
              Contains(AllOf(HasSubstr("nothing computes"), HasSubstr("myops::scale"),
                             HasSubstr(" is taken (refused: /p/libcpu.so (torch-version-mismatch))"))));
  for (const char* key : {"CPU", "CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd"}) {
    EXPECT_THAT(computed_by({usable(samples::scale_manifest("some", {key}))}), Not(Contains(HasSubstr(note)))) << key;
  }
}

// Case 61.
TEST(PlanNotes, SaysWhichGradientsWouldBeMissing) {
  const auto plan = make_plan(with_schema({usable(samples::scale_manifest("cpu", {"CPU", "Meta"}))}), {}, {}, {});
  EXPECT_THAT(plan.notes, ElementsAre("gradients would be missing for myops::scale: no library with their Autograd "
                                      "kernels is taken"));
  EXPECT_FALSE(plan.tainted);
}

TEST(PlanNotes, SaysWhoseGradientsAreUsedWhereOnlyCompositeKernelsServe) {
  const auto composite = usable(samples::scale_manifest("composite", {"CompositeExplicitAutograd"}));
  const auto meta = usable(samples::scale_manifest("meta", {"Meta"}));
  EXPECT_THAT(make_plan(with_schema({composite, meta}), {}, {}, {}).notes,
              ElementsAre("gradients of myops::scale are left to the operators they are made of, and torch warns: no "
                          "library with their Autograd kernels is taken"));
  const auto cpu = usable(samples::scale_manifest("cpu", {"CPU"}));
  EXPECT_THAT(make_plan(with_schema({composite, cpu}), {}, {}, {}).notes,
              ElementsAre(HasSubstr("gradients would be missing for myops::scale: ")));
}

TEST(PlanNotes, SaysWhyTheAutogradLibraryIsNotTaken) {
  const auto plan = make_plan(with_schema({usable(samples::scale_manifest("cpu", {"CPU"})),
                                           samples::refused(samples::scale_manifest("autograd", {"Autograd"}))}),
                              {}, {}, {});
  EXPECT_THAT(plan.notes, Contains(HasSubstr("(refused: /p/libautograd.so (torch-version-mismatch))")));
}

TEST(PlanNotes, CountsAutogradKernelsOfTheDispatcherAndImplicitOnes) {
  const auto before =
      samples::loaded({samples::schema_manifest(), samples::scale_manifest("autograd", {"AutogradCPU"})});
  auto plan = make_plan({usable(samples::scale_manifest("cpu", {"CPU", "Meta"}))}, before, {}, {});
  EXPECT_THAT(plan.notes, IsEmpty());
  plan =
      make_plan(with_schema({usable(samples::scale_manifest("x", {"CompositeImplicitAutograd", "CPU"}))}), {}, {}, {});
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(PlanNotes, SaysWhatHasNoShapesForFakeTensors) {
  const auto autograd = usable(samples::scale_manifest("autograd", {"Autograd"}));
  const auto cpu = usable(samples::scale_manifest("cpu", {"CPU"}));
  EXPECT_THAT(
      make_plan(with_schema({autograd, cpu}), {}, {}, {}).notes,
      ElementsAre("torch.compile, export and fake tensors would refuse myops::scale, unless Python gives a fake "
                  "implementation: no library with their Meta kernels is taken"));
  const auto refused = samples::refused(samples::scale_manifest("meta", {"Meta"}));
  EXPECT_THAT(make_plan(with_schema({autograd, cpu, refused}), {}, {}, {}).notes,
              ElementsAre(HasSubstr("is taken (refused: /p/libmeta.so (torch-version-mismatch))")));
  for (const char* key : {"Meta", "CompositeExplicitAutograd", "CompositeImplicitAutograd"}) {
    const auto other = usable(samples::scale_manifest("other", {key}));
    EXPECT_THAT(make_plan(with_schema({autograd, cpu, other}), {}, {}, {}).notes, IsEmpty()) << key;
  }
}

std::vector<std::string> notes_of_compiling(const std::string& schema) {
  Manifest defines = samples::schema_manifest(), most = samples::manifest("most");
  defines.defines = {"myops::" + schema};
  for (const char* key : {"CPU", "Meta", "Autograd", "ADInplaceOrView"}) {
    most.kernels[key]["myops::" + schema.substr(0, schema.find('('))] = {schema, "", "", "r"};
  }
  return make_plan({usable(defines), usable(most)}, {}, {}, {}).notes;
}

TEST(PlanNotes, SaysWhatCompileAndExportWouldRefuse) {
  EXPECT_THAT(notes_of_compiling("view(Tensor(a) self) -> Tensor(a)"),
              ElementsAre("torch.compile and export would refuse myops::view: no library with their Functionalize "
                          "kernels is taken"));
  EXPECT_THAT(notes_of_compiling("bump_(Tensor(a!) self) -> Tensor(a!)"),
              ElementsAre("torch.compile and export of some releases would refuse myops::bump_, which return what they "
                          "write: no library with their Functionalize kernels is taken"));
  EXPECT_THAT(notes_of_compiling("fill(Tensor(a!) self) -> ()"), IsEmpty()) << "they rewrite it themselves";
}

TEST(PlanNotes, NamesEntriesThatMatchNothing) {
  Request request;
  request.disable = {"nothing*", "myops_*"};
  request.prefer = {"gone"};
  const auto plan = make_plan({usable(samples::schema_manifest())}, {}, request, {});
  EXPECT_THAT(plan.notes, ElementsAre(StartsWith("nothing computes"), "disable entry \"nothing*\" matches no library",
                                      "prefer entry \"gone\" matches no library"));
}

TEST(PlanNotes, SaysNothingOfKernelsThatAreNotTaken) {
  const auto plan = make_plan({usable(samples::scale_manifest("cpu", {"CPU"}))}, {}, {}, {});
  EXPECT_THAT(plan.notes, IsEmpty());
}

}  // namespace
}  // namespace myops::rules
