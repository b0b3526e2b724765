#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::HasReason;
using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using samples::file_at;
using samples::file_named;
using samples::names_in_order;
using samples::refused;
using samples::usable;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Case 44 (a).
TEST(SchemaRules, RefusesKernelsWhoseOperatorsNothingDefines) {
  const auto plan = make_plan({usable(samples::scale_manifest("myops_cpu", {"CPU"}))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops::scale", Code::kSchemaMissing, "a schema library", "")));
  EXPECT_EQ(plan.files[0].kind, VerdictKind::kRejected);
}

TEST(SchemaRules, SaysWhyTheSchemaLibraryWasRefused) {
  const auto plan = make_plan(
      {refused(samples::schema_manifest()), usable(samples::scale_manifest("myops_cpu", {"CPU"}))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  const Verdict& cpu = file_named(plan, "myops_cpu");
  EXPECT_THAT(cpu.reasons, ElementsAre(IsReasonAbout("myops::scale", Code::kSchemaMissing, "a schema library",
                                                     "/p/libmyops_schema.so was refused")));
  EXPECT_THAT(cpu.reasons[0].hint, HasSubstr("torch-version-mismatch: built for torch 2.11.0, this is 2.15.0"));
}

TEST(SchemaRules, TakesOperatorsThatTheDispatcherKnows) {
  const auto before = samples::loaded({samples::schema_manifest()});
  const auto plan = make_plan({usable(samples::scale_manifest("myops_cpu", {"CPU"}))}, before, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_cpu"));
}

// Case 44 (c).
TEST(SchemaRules, NotesOneMisspeltNameAmongOthers) {
  Manifest cpu = samples::scale_manifest("myops_cpu", {"CPU"});
  cpu.kernels["CPU"]["myops::scael"] = samples::scale_record("CPU");
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(cpu)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "myops_cpu"));
  EXPECT_THAT(file_named(plan, "myops_cpu").notes,
              ElementsAre("nothing defines myops::scael: its kernels cannot be called"));
}

TEST(SchemaRules, PrintsBothSchemasWhereTheyDiffer) {
  Manifest cpu = samples::scale_manifest("myops_cpu", {"CPU", "Meta"});
  for (const char* key : {"CPU", "Meta"}) {
    cpu.kernels[key]["myops::scale"].schema = "scale(Tensor self, float factor=1.) -> Tensor";
  }
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(cpu)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  EXPECT_THAT(
      file_named(plan, "myops_cpu").reasons,
      ElementsAre(IsReasonAbout("myops::scale", Code::kSchemaMismatch, "scale(Tensor self, float factor=1.) -> Tensor",
                                "scale(Tensor self, float factor) -> Tensor")));
}

TEST(SchemaRules, ComparesWithTheDispatchersSchemaWithOrWithoutItsNamespace) {
  for (const char* schema : {"scale(Tensor self, float factor) -> Tensor", samples::kScale}) {
    DispatcherState before;
    before.schemas["myops::scale"] = schema;
    const auto plan = make_plan({usable(samples::scale_manifest("myops_cpu", {"CPU"}))}, before, {}, {});
    EXPECT_THAT(names_in_order(plan), ElementsAre("myops_cpu"));
  }
}

// Cases 12 and 106.
TEST(SchemaRules, RefusesAnotherReleaseOfTheSet) {
  Manifest old = samples::scale_manifest("myops_cpu", {"CPU"});
  old.release = "0";
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(old)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  const Verdict& cpu = file_named(plan, "myops_cpu");
  EXPECT_THAT(cpu.reasons, ElementsAre(IsReasonAbout("myops", Code::kMixedRelease, "1", "0")));
  EXPECT_THAT(cpu.reasons[0].hint, HasSubstr("/p/libmyops_schema.so"));
  EXPECT_THAT(cpu.reasons[0].hint, HasSubstr("remove one of the two or rebuild"));
}

TEST(SchemaRules, ComparesReleasesWithinOneSetOnly) {
  Manifest theirs = samples::scale_manifest("their_cpu", {"CPU"});
  theirs.set = "theirs";
  theirs.release = "77";
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(theirs)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "their_cpu"));
}

// Case 40: v1 is in the process, v2 is offered from elsewhere.
TEST(SchemaRules, RefusesASecondSetAsAWhole) {
  const auto before = samples::loaded({samples::schema_manifest(), samples::scale_manifest("myops_cpu", {"CPU"})});
  std::vector<Manifest> second = {samples::schema_manifest(), samples::scale_manifest("myops_cpu", {"CPU"}),
                                  samples::scale_manifest("myops_autograd", {"Autograd"})};
  std::vector<Verdict> verdicts;
  for (Manifest& manifest : second) {
    manifest.release = "2";
    verdicts.push_back(usable(manifest, "/second"));
  }
  const auto plan = make_plan(verdicts, before, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(file_named(plan, "myops_schema").reasons,
              HasReason(Code::kOperatorConflict, "", "registered at schema.cpp:1"));
  for (const char* name : {"myops_cpu", "myops_autograd"}) {
    EXPECT_THAT(file_named(plan, name).reasons,
                ElementsAre(IsReason(Code::kSchemaMissing, _, "/second/libmyops_schema.so was refused")))
        << name << " would fit the first set by its schemas, and is still not half of it";
  }
}

TEST(SchemaRules, LetsADisabledSchemaLibraryStandAside) {
  Request request;
  request.disable = {"myops_schema"};
  Verdict schema = judge(samples::evidence(samples::schema_manifest()), samples::host(), samples::torch(), request);
  const auto before = samples::loaded({samples::schema_manifest()});
  const auto plan = make_plan({schema, usable(samples::scale_manifest("myops_cpu", {"CPU"}))}, before, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_cpu"));
}

TEST(SchemaRules, TakesKernelsForOperatorsOfAnotherSet) {
  Manifest mine = samples::manifest("mine");
  mine.set = mine.op_namespace = "mine";
  mine.defines = {"mine::f(Tensor self) -> Tensor"};
  mine.kernels["CPU"]["mine::f"] = {"f(Tensor self) -> Tensor", "", "", "r"};
  mine.kernels["CPU"]["myops::scale"] = samples::scale_record("CPU");
  const auto plan = make_plan({usable(mine), usable(samples::schema_manifest())}, {}, {}, {});
  EXPECT_EQ(plan.order.size(), 2u);
}

TEST(SchemaRules, CannotProveThatASchemaIsMissingWhereAnUnstampedLibraryIsTaken) {
  Request request;
  request.allow_unstamped = true;
  Evidence unstamped = samples::foreign_evidence("myops_schema");
  unstamped.manifest_error = Reason{Code::kUnstamped, "", "", "", ""};
  const auto plan = make_plan({judge(unstamped, samples::host(), samples::torch(), request),
                               usable(samples::scale_manifest("myops_cpu", {"CPU"}))},
                              {}, request, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_cpu", "myops_schema"));
  EXPECT_TRUE(plan.tainted);
  EXPECT_THAT(file_named(plan, "myops_cpu").notes, IsEmpty());
  EXPECT_THAT(plan.notes, Contains(HasSubstr("myops_schema is loaded though its manifest was never written")));
}

}  // namespace
}  // namespace myops::rules
