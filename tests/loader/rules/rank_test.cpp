#include "loader/rules/rank.h"

#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using samples::usable;
using ::testing::ElementsAre;

std::vector<std::string> paths_of(const std::vector<Verdict>& files) {
  std::vector<std::string> paths;
  for (const Verdict& file : files) paths.push_back(file.file.path);
  return paths;
}

std::vector<std::string> ranked_paths(std::vector<Verdict> files, const Request& request = {},
                                      const std::set<std::size_t>& already = {}) {
  files = in_search_order(std::move(files));
  std::vector<std::string> paths;
  for (const std::size_t file : ranked(files, request, already)) paths.push_back(files[file].file.path);
  return paths;
}

Manifest named(const std::string& name, const std::string& level = "x86-64") {
  Manifest manifest = samples::scale_manifest(name, {"CPU"});
  manifest.cpu.level = level;
  return manifest;
}

TEST(Rank, ListsByFolderAsSearchedAndByPathWithin) {
  const auto files = in_search_order(
      {usable(named("b"), "/z"), usable(named("a"), "/a"), usable(named("a"), "/z"), usable(named("b"), "/a")});
  EXPECT_THAT(paths_of(files), ElementsAre("/z/liba.so", "/z/libb.so", "/a/liba.so", "/a/libb.so"));
}

TEST(Rank, KnowsWhatALibraryIsFor) {
  EXPECT_EQ(role_of(usable(samples::schema_manifest())), Role::kSchema);
  EXPECT_EQ(role_of(usable(samples::scale_manifest("x", {"Autograd", "Meta"}))), Role::kBackend);
  EXPECT_EQ(role_of(usable(samples::scale_manifest("x", {"Autograd"}))), Role::kOther);
  EXPECT_EQ(role_of(samples::judged(samples::foreign_evidence("x"))), Role::kOther);
  Manifest all_in_one = samples::scale_manifest("x", {"CPU"});
  all_in_one.defines = {samples::kScale};
  EXPECT_EQ(role_of(usable(all_in_one)), Role::kSchema);
}

TEST(Rank, OpensSchemaThenBackendsThenOthers) {
  EXPECT_THAT(ranked_paths({usable(samples::scale_manifest("a_autograd", {"Autograd"})),
                            usable(samples::scale_manifest("b_cpu", {"CPU"})), usable(samples::schema_manifest())}),
              ElementsAre("/p/libmyops_schema.so", "/p/libb_cpu.so", "/p/liba_autograd.so"));
}

TEST(Rank, PutsLevelBeforePreferenceBeforeFolderBeforePath) {
  Request request;
  request.prefer = {"preferred"};
  EXPECT_THAT(ranked_paths({usable(named("b"), "/1"), usable(named("a"), "/1"), usable(named("a"), "/2"),
                            usable(named("preferred"), "/2"), usable(named("wide", "x86-64-v3"), "/2")},
                           request),
              ElementsAre("/2/libwide.so", "/2/libpreferred.so", "/1/liba.so", "/1/libb.so", "/2/liba.so"));
}

TEST(Rank, PutsWhatIsAboveTheCapLastTheNarrowestFirst) {
  const std::vector<Verdict> files = {usable(named("v3", "x86-64-v3")), usable(named("v2", "x86-64-v2")),
                                      usable(named("plain"))};
  Request request;
  request.cpu_cap = "x86-64";
  EXPECT_THAT(ranked_paths(files, request), ElementsAre("/p/libplain.so", "/p/libv2.so", "/p/libv3.so"));
  request.cpu_cap = "x86-64-v2";
  EXPECT_THAT(ranked_paths(files, request), ElementsAre("/p/libv2.so", "/p/libplain.so", "/p/libv3.so"));
}

TEST(Rank, PutsFilesInTheProcessFirst) {
  EXPECT_THAT(ranked_paths({usable(samples::schema_manifest()), usable(named("cpu"))}, {}, {0}),
              ElementsAre("/p/libcpu.so", "/p/libmyops_schema.so"));
}

TEST(Rank, LeavesOutWhatIsNotUsable) {
  EXPECT_THAT(
      ranked_paths({samples::refused(named("a")), samples::judged(samples::foreign_evidence("b")), usable(named("c"))}),
      ElementsAre("/p/libc.so"));
}

TEST(Rank, TakesTheSchemaLibraryThatMostAreMadeForWithinAFolder) {
  Manifest stray = samples::manifest("a_stray");
  stray.release = "0";
  stray.defines = {"myops::other(Tensor self) -> Tensor"};
  EXPECT_THAT(ranked_paths({usable(stray), usable(samples::schema_manifest()), usable(named("cpu"))}),
              ElementsAre("/p/libmyops_schema.so", "/p/liba_stray.so", "/p/libcpu.so"));
  EXPECT_THAT(ranked_paths({usable(stray, "/first"), usable(samples::schema_manifest()), usable(named("cpu"))}),
              ElementsAre("/first/liba_stray.so", "/p/libmyops_schema.so", "/p/libcpu.so"))
      << "what the user put first comes first";
}

// Case 12: an older schema library was left beside the set.
TEST(Rank, TakesTheSchemaLibraryOfTheReleaseThatMostHave) {
  Manifest older = samples::schema_manifest();
  older.name = "a_schema";
  older.release = "0";
  EXPECT_THAT(ranked_paths({usable(older), usable(samples::schema_manifest()), usable(named("cpu"))}),
              ElementsAre("/p/libmyops_schema.so", "/p/liba_schema.so", "/p/libcpu.so"));
}

TEST(Rank, CountsKernelsOfOtherSetsForASchemaLibraryToo) {
  Manifest theirs = samples::schema_manifest(), stray = samples::manifest("a_stray"), cpu = named("cpu");
  stray.defines = {"myops::other(Tensor self) -> Tensor"};
  theirs.set = "x";
  stray.set = "y";
  cpu.set = "z";
  EXPECT_THAT(ranked_paths({usable(stray), usable(theirs), usable(cpu)}),
              ElementsAre("/p/libmyops_schema.so", "/p/liba_stray.so", "/p/libcpu.so"));
}

TEST(Rank, OpensFirstWhatOthersRelyOn) {
  const std::vector<Verdict> files = {
      usable(named("cpu")), usable(samples::scale_manifest("guard", {"ADInplaceOrView"})),
      usable(samples::schema_manifest()), usable(samples::scale_manifest("autograd", {"Autograd"}))};
  EXPECT_THAT(in_opening_order({0, 1, 2, 3}, files, {}), ElementsAre(2, 1, 0, 3));
  EXPECT_THAT(in_opening_order({3, 0, 1}, files, {}), ElementsAre(1, 3, 0));
  EXPECT_THAT(in_opening_order({0, 1, 2, 3}, files, {3}), ElementsAre(3, 2, 1, 0));
}

}  // namespace
}  // namespace myops::rules
