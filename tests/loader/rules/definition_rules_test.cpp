#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::names_in_order;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Manifest other_schema(std::vector<std::string> defines) {
  Manifest schema = samples::manifest("other_schema");
  schema.set = "other";
  schema.defines = std::move(defines);
  return schema;
}

TEST(DefinitionRules, RefusesASecondDefinitionOfAnOperator) {
  const auto plan =
      make_plan({usable(samples::schema_manifest(), "/a"), usable(other_schema({samples::kScale}), "/b")}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  const Verdict& refused = samples::file_named(plan, "other_schema");
  EXPECT_EQ(refused.kind, VerdictKind::kRejected);
  EXPECT_THAT(refused.reasons,
              ElementsAre(IsReasonAbout("myops::scale", Code::kOperatorConflict, "", "/a/libmyops_schema.so")));
  EXPECT_THAT(refused.reasons[0].hint, HasSubstr("/b/libother_schema.so"));
}

// `other` in the namespace of the sample set, by a TORCH_LIBRARY block or by a fragment.
Manifest with_block() {
  Manifest schema = other_schema({"myops::other(Tensor self) -> Tensor"});
  schema.libraries = {"myops"};
  return schema;
}
Manifest with_fragment() { return other_schema({"myops::other(Tensor self) -> Tensor"}); }

TEST(DefinitionRules, RefusesASecondLibraryInANamespace) {
  const auto plan = make_plan({usable(samples::schema_manifest(), "/a"), usable(with_block(), "/b")}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  EXPECT_THAT(samples::file_named(plan, "other_schema").reasons,
              ElementsAre(IsReasonAbout("myops", Code::kNamespaceTaken, "", "/a/libmyops_schema.so")));
}

TEST(DefinitionRules, TakesAFragmentBesideTheLibraryWhicheverComesFirst) {
  for (const char* folder : {"/0", "/z"}) {
    const auto plan =
        make_plan({usable(samples::schema_manifest(), "/a"), usable(with_fragment(), folder)}, {}, {}, {});
    EXPECT_THAT(names_in_order(plan), UnorderedElementsAre("myops_schema", "other_schema"));
  }
  const auto before = samples::loaded({samples::schema_manifest()});
  EXPECT_THAT(names_in_order(make_plan({usable(with_fragment())}, before, {}, {})), ElementsAre("other_schema"));
}

TEST(DefinitionRules, RefusesASecondLibraryThatDefinesNothing) {
  Manifest empty = with_block();
  empty.defines.clear();
  const auto plan = make_plan({usable(samples::schema_manifest(), "/a"), usable(empty, "/b")}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
}

// Cases 39 and 40: someone else was first, in this process.
TEST(DefinitionRules, NamesThePlaceOfAnEarlierRegistration) {
  DispatcherState before;
  before.schemas["myops::scale"] = samples::kScale;
  before.defined_at["myops::scale"] = "registered at theirs.cpp:7";
  auto plan = make_plan({usable(samples::schema_manifest())}, before, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops::scale", Code::kOperatorConflict, "", "registered at theirs.cpp:7")));

  before = {};
  before.libraries["myops"] = "registered at theirs.cpp:8";
  plan = make_plan({usable(samples::schema_manifest())}, before, {}, {});
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops", Code::kNamespaceTaken, "", "registered at theirs.cpp:8")));

  before.libraries["myops"] = "";
  plan = make_plan({usable(samples::schema_manifest())}, before, {}, {});
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops", Code::kNamespaceTaken, "", "in the dispatcher")));
}

TEST(DefinitionRules, LetsOthersDefineOperatorsInTheNamespace) {
  DispatcherState before;
  before.schemas["myops::theirs"] = "myops::theirs() -> ()";
  before.libraries["myops2"] = "registered at theirs.cpp:9";
  EXPECT_THAT(names_in_order(make_plan({usable(samples::schema_manifest())}, before, {}, {})),
              ElementsAre("myops_schema"));
}

TEST(DefinitionRules, ListsEachOperatorThatIsTaken) {
  const auto plan = make_plan(
      {usable(samples::schema_manifest(), "/a"), usable(other_schema({samples::kScale, samples::kBump}), "/b")}, {}, {},
      {});
  EXPECT_THAT(samples::file_named(plan, "other_schema").reasons,
              UnorderedElementsAre(IsReasonAbout("myops::scale", Code::kOperatorConflict),
                                   IsReasonAbout("myops::bump_", Code::kOperatorConflict)));
}

TEST(DefinitionRules, TakesLibrariesOfDifferentNamespaces) {
  Manifest other = other_schema({"theirs::scale(Tensor self) -> Tensor"});
  other.op_namespace = "theirs";
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(other)}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), UnorderedElementsAre("myops_schema", "other_schema"));
}

}  // namespace
}  // namespace myops::rules
