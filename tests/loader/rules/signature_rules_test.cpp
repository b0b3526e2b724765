#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::file_named;
using samples::names_in_order;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kByValue = "at::Tensor (at::Tensor, double)";

Manifest with_signature(const std::string& name, const std::string& key, const std::string& cpp) {
  Manifest manifest = samples::scale_manifest(name, {key});
  manifest.kernels[key]["myops::scale"].cpp = cpp;
  return manifest;
}

// Case 45.
TEST(SignatureRules, RefusesTheLaterOfTwoThatDifferAndNamesBoth) {
  const auto plan =
      make_plan({usable(samples::schema_manifest()), usable(with_signature("a_cpu", "CPU", samples::kScaleCpp)),
                 usable(with_signature("b_meta", "Meta", kByValue))},
                {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema", "a_cpu"));
  EXPECT_THAT(file_named(plan, "b_meta").reasons,
              ElementsAre(IsReasonAbout("myops::scale on Meta against CPU in /p/liba_cpu.so", Code::kSignatureMismatch,
                                        samples::kScaleCpp, kByValue)));
}

TEST(SignatureRules, RefusesWhatDiffersFromTheDispatcher) {
  auto before = samples::loaded({samples::schema_manifest()});
  before.cpp["myops::scale"] = samples::kScaleCpp;
  const auto plan = make_plan({usable(with_signature("cpu", "CPU", kByValue))}, before, {}, {});
  EXPECT_THAT(names_in_order(plan), IsEmpty());
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops::scale on CPU against the dispatcher", Code::kSignatureMismatch,
                                        samples::kScaleCpp, kByValue)));
}

TEST(SignatureRules, RefusesWhatDoesNotFitTheSchema) {
  const char* const kInt = "at::Tensor (at::Tensor const&, long)";
  const auto plan =
      make_plan({usable(samples::schema_manifest()), usable(with_signature("cpu", "CPU", kInt))}, {}, {}, {});
  EXPECT_THAT(names_in_order(plan), ElementsAre("myops_schema"));
  EXPECT_THAT(file_named(plan, "cpu").reasons,
              ElementsAre(IsReasonAbout("myops::scale", Code::kSignatureMismatch,
                                        "scale(Tensor self, float factor) -> Tensor", kInt)));
}

TEST(SignatureRules, ComparesPlainAndSymIntFormsApart) {
  Manifest cpu = with_signature("cpu", "CPU", samples::kScaleCpp);
  Manifest meta = with_signature("meta", "Meta", "");
  meta.kernels["Meta"]["myops::scale"].cpp_symint = kByValue;
  auto plan = make_plan({usable(samples::schema_manifest()), usable(cpu), usable(meta)}, {}, {}, {});
  EXPECT_EQ(plan.order.size(), 3u);

  auto before = samples::loaded({samples::schema_manifest()});
  before.cpp_symint["myops::scale"] = samples::kScaleCpp;
  plan = make_plan({usable(meta)}, before, {}, {});
  EXPECT_THAT(plan.files[0].reasons,
              ElementsAre(IsReasonAbout("myops::scale on Meta against the dispatcher", Code::kSignatureMismatch,
                                        samples::kScaleCpp, kByValue)));
}

TEST(SignatureRules, SaysNothingOfBoxedKernels) {
  const auto plan =
      make_plan({usable(samples::schema_manifest()), usable(with_signature("a", "CPU", samples::kScaleCpp)),
                 usable(with_signature("b", "Meta", ""))},
                {}, {}, {});
  EXPECT_EQ(plan.order.size(), 3u);
}

TEST(SignatureRules, RefusesAFileThatContradictsItself) {
  Manifest both = samples::scale_manifest("both", {"CPU", "Meta"});
  both.kernels["Meta"]["myops::scale"].cpp = kByValue;
  const auto plan = make_plan({usable(samples::schema_manifest()), usable(both)}, {}, {}, {});
  EXPECT_THAT(file_named(plan, "both").reasons,
              ElementsAre(IsReasonAbout("myops::scale on Meta against CPU in the same file", Code::kSignatureMismatch,
                                        samples::kScaleCpp, kByValue)));
}

}  // namespace
}  // namespace myops::rules
