#include "loader/rules/planned_table.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "loader/rules/plan.h"
#include "tests/loader/rules/samples.h"
#include "tests/support/json.h"

namespace myops::rules {
namespace {

using myops::testing::as_json;
using samples::usable;
using Json = nlohmann::ordered_json;

const Json kNobody = nullptr;

Json table_of(std::vector<Verdict> files) { return as_json(planned_table(make_plan(std::move(files), {}, {}, {}))); }

Json cell(const std::string& library, bool planned) {
  return {{"library", library}, {"level", ""}, {"path", "/p/lib" + library + ".so"}, {"planned", planned}};
}

Json without_level(Json cell) {
  cell["level"] = "";
  return cell;
}

TEST(PlannedTable, NamesWhoWouldProvideEachKernel) {
  const Json table =
      table_of({usable(samples::schema_manifest()), usable(samples::scale_manifest("cpu", {"CPU", "Meta"}))});
  ASSERT_EQ(table["operators"].size(), 2);
  const Json& scale = table["operators"]["myops::scale"];
  EXPECT_EQ(scale["schema"], samples::kScale);
  EXPECT_EQ(scale["defined_by"]["library"], samples::schema_manifest().name);
  EXPECT_EQ(scale["kernels"].size(), 2);
  EXPECT_EQ(without_level(scale["kernels"]["CPU"]), cell("cpu", true));
  EXPECT_EQ(without_level(scale["kernels"]["Meta"]), cell("cpu", true));
  EXPECT_EQ(table["operators"]["myops::bump_"]["kernels"], Json::object());
  EXPECT_EQ(table["fallbacks"], Json::object());
}

TEST(PlannedTable, NamesALibraryThatIsLeftOutWhereNoOtherHasTheKernel) {
  const Json table =
      table_of({usable(samples::schema_manifest()), samples::refused(samples::scale_manifest("old", {"CPU", "Meta"})),
                usable(samples::scale_manifest("new", {"CPU"}))});
  const Json& kernels = table["operators"]["myops::scale"]["kernels"];
  EXPECT_EQ(without_level(kernels["CPU"]), cell("new", true));
  EXPECT_EQ(without_level(kernels["Meta"]), cell("old", false));
}

TEST(PlannedTable, HasOperatorsThatNobodyDefines) {
  const Json table = table_of({usable(samples::scale_manifest("cpu", {"CPU"}))});
  const Json& scale = table["operators"]["myops::scale"];
  EXPECT_EQ(scale["schema"], "");
  EXPECT_EQ(scale["defined_by"], kNobody);
  EXPECT_EQ(scale["kernels"]["CPU"]["planned"], false);
}

TEST(PlannedTable, HasFallbacks) {
  Manifest manifest = samples::schema_manifest();
  manifest.fallbacks = {"Autograd"};
  const Json table = table_of({usable(manifest)});
  EXPECT_EQ(without_level(table["fallbacks"]["Autograd"]), cell(manifest.name, true));
}

TEST(PlannedTable, IsValidUtf8WhateverAManifestNames) {
  Manifest manifest = samples::scale_manifest("cpu", {"CPU"});
  manifest.defines = {"my\xFFops::f() -> ()"};
  const Json table = table_of({usable(manifest)});
  EXPECT_TRUE(table["operators"].contains("my\xEF\xBF\xBDops::f"));
}

}  // namespace
}  // namespace myops::rules
