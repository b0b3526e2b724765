#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loader/link/world.h"

namespace myops::link {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kPlugin = "/plugins/libx.so";

std::vector<std::string> names_of(const std::vector<Missing>& missing) {
  std::vector<std::string> names;
  for (const Missing& entry : missing) names.push_back(entry.name);
  return names;
}

// What a plugin misses that imports `import` from a library with these exports.
std::vector<Missing> missing_with(const elf::Symbol& import, const Library& library) {
  World world;
  world.loaded("/lib/liba.so", library);
  world.file(kPlugin, {.needed = {"liba.so"}, .imports = {import}});
  return world.missing(kPlugin);
}

Library exporting(std::vector<elf::Symbol> exports, std::vector<std::string> versions = {}) {
  return {.soname = "liba.so", .exports = std::move(exports), .version_definitions = std::move(versions)};
}

TEST(Resolve, DefinedAnywhereInScope) {
  World world;
  world.loaded("/bin/python", {.exports = {symbol("PyList_New")}, .type = ET_EXEC}, true);
  world.loaded("/lib/far.so", {.soname = "far.so", .exports = {symbol("far")}});
  world.loaded("/lib/near.so", {.soname = "near.so", .needed = {"far.so"}});
  world.file(kPlugin, {.needed = {"near.so"},
                       .imports = {symbol("PyList_New"), symbol("far"), symbol("own")},
                       .exports = {symbol("own")}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

TEST(Resolve, LoadedButNotInScopeDoesNotCount) {
  World world;
  world.loaded("/lib/other.so", {.soname = "other.so", .exports = {symbol("there")}});
  world.file(kPlugin, {.imports = {symbol("there")}});
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kSymbol);
  EXPECT_EQ(missing[0].name, "there");
  EXPECT_EQ(missing[0].needed_by, kPlugin);
  EXPECT_EQ(missing[0].expected_in, "");
  EXPECT_EQ(missing[0].found, "");
}

TEST(Resolve, AllThatIsMissingInFileOrder) {
  World world;
  world.file(kPlugin, {.needed = {"libdep.so"}, .runpath = "/lib", .imports = {symbol("b"), weak("w"), symbol("a")}});
  world.file("/lib/libdep.so", {.soname = "libdep.so", .imports = {symbol("c")}});
  const auto missing = world.missing(kPlugin);
  EXPECT_THAT(names_of(missing), ElementsAre("b", "a", "c"));
  EXPECT_EQ(missing[2].needed_by, "/lib/libdep.so");
}

TEST(Resolve, SymbolsOfLoadedLibrariesAreNotAskedFor) {
  World world;
  world.loaded("/lib/liba.so", {.soname = "liba.so", .imports = {symbol("gone")}});
  world.file(kPlugin, {.needed = {"liba.so"}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

TEST(Resolve, FactsWithoutAnIndexAreSearchedTheSlowWay) {
  World world;
  auto facts = std::make_shared<elf::ElfFacts>(*facts_of(exporting({symbol("there")})));
  facts->export_index = {};
  world.environment.loaded.add({"/lib/liba.so", "liba.so", facts});
  world.file(kPlugin, {.needed = {"liba.so"}, .imports = {symbol("there"), symbol("away")}});
  EXPECT_THAT(names_of(world.missing(kPlugin)), ElementsAre("away"));
}

TEST(Resolve, FactsWithoutSymbolsProveNothing) {
  World world;
  world.loaded("/lib/liba.so", {.soname = "liba.so", .identity_only = true});
  world.file(kPlugin,
             {.needed = {"liba.so"}, .imports = {symbol("perhaps")}, .version_needs = {{"liba.so", "V9", false}}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

// Versions: elf/dl-lookup.c, check_match.

TEST(ResolveVersioned, TheSameVersionMatches) {
  EXPECT_THAT(missing_with(versioned("f", "V2", "liba.so"),
                           exporting({symbol("f", "V1", 2, true), symbol("f", "V2", 3)}, {"V1", "V2"})),
              IsEmpty());
}

TEST(ResolveVersioned, AHiddenOneToo) {
  EXPECT_THAT(missing_with(versioned("f", "V1", "liba.so"),
                           exporting({symbol("f", "V1", 2, true), symbol("f", "V2", 3)}, {"V1", "V2"})),
              IsEmpty());
}

TEST(ResolveVersioned, AnotherVersionDoesNot) {
  const auto missing = missing_with(versioned("f", "V1", "liba.so"), exporting({symbol("f", "V2", 3)}, {"V1", "V2"}));
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kSymbol);
  EXPECT_EQ(missing[0].expected_in, "liba.so");
}

TEST(ResolveVersioned, ASymbolWithoutVersionInAFileWithVersionsMatches) {
  EXPECT_THAT(missing_with(versioned("f", "V1", "liba.so"), exporting({symbol("f", "", 1)}, {"V1"})), IsEmpty());
}

TEST(ResolveVersioned, UnlessItIsHidden) {
  EXPECT_THAT(missing_with(versioned("f", "V1", "liba.so"), exporting({symbol("f", "", 1, true)}, {"V1"})), SizeIs(1));
  elf::Symbol import = versioned("f", "V1", "liba.so");
  import.hidden_version = true;
  EXPECT_THAT(missing_with(import, exporting({symbol("f", "", 1)}, {"V1"})), SizeIs(1));
}

// A file without any versions that is not the one the version names.
TEST(ResolveVersioned, AFileWithoutVersionsMatches) {
  World world;
  world.loaded("/lib/interposed.so", {.soname = "interposed.so", .exports = {symbol("f")}}, true);
  world.loaded("/lib/liba.so", exporting({}, {"V1"}));
  world.file(kPlugin, {.needed = {"liba.so"}, .imports = {versioned("f", "V1", "liba.so")}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

// glibc asserts that the file which a version names has versions.
TEST(ResolveVersioned, TheNamedFileWithoutVersionsKillsTheProcess) {
  const auto missing = missing_with(versioned("f", "V1", "liba.so"), exporting({symbol("f")}));
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kSymbol);
  EXPECT_EQ(missing[0].name, "f");
  EXPECT_EQ(missing[0].expected_in, "liba.so");
  EXPECT_EQ(
      missing[0].found,
      "/lib/liba.so has the symbol, but no versions, and version V1 is needed: the dynamic linker ends the process");
}

TEST(ResolveUnversioned, TheBaseAndTheFirstVersionMatchEvenHidden) {
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "", 1)}, {"V1"})), IsEmpty());
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "V1", 2)}, {"V1"})), IsEmpty());
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "V1", 2, true)}, {"V1"})), IsEmpty());
}

TEST(ResolveUnversioned, ALaterVersionIfItIsTheDefault) {
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "V3", 4)}, {"V1", "V2", "V3"})), IsEmpty());
  EXPECT_THAT(
      missing_with(symbol("f"), exporting({symbol("f", "V2", 3, true), symbol("f", "V3", 4)}, {"V1", "V2", "V3"})),
      IsEmpty());
}

TEST(ResolveUnversioned, NotAHiddenLaterVersionAlone) {
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "V2", 3, true)}, {"V1", "V2"})), SizeIs(1));
}

TEST(ResolveUnversioned, NorTwoDefaults) {
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f", "V2", 3), symbol("f", "V3", 4)}, {"V1", "V2", "V3"})),
              SizeIs(1));
}

TEST(ResolveUnversioned, AnyOfAFileWithoutVersions) {
  EXPECT_THAT(missing_with(symbol("f"), exporting({symbol("f")})), IsEmpty());
}

// Versions of whole files: elf/dl-version.c.

TEST(ResolveVersionNeeds, MissingVersion) {
  World world;
  world.loaded("/lib/libstdc++.so.6", {.soname = "libstdc++.so.6",
                                       .version_definitions = {"GLIBCXX_3.4", "GLIBCXX_3.4.29", "GLIBCXX_3.4.30",
                                                               "GLIBCXX_TUNABLES", "CXXABI_1.3"}});
  world.file(kPlugin, {.needed = {"libstdc++.so.6"},
                       .version_needs = {{"libstdc++.so.6", "GLIBCXX_3.4.29", false},
                                         {"libstdc++.so.6", "GLIBCXX_3.4.33", false},
                                         {"libstdc++.so.6", "GLIBCXX_3.4.33", false},
                                         {"libstdc++.so.6", "OTHER_1", false}}});
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(2));
  EXPECT_EQ(missing[0].kind, MissingKind::kVersion);
  EXPECT_EQ(missing[0].name, "GLIBCXX_3.4.33");
  EXPECT_EQ(missing[0].needed_by, kPlugin);
  EXPECT_EQ(missing[0].expected_in, "libstdc++.so.6");
  EXPECT_EQ(missing[0].found, "/lib/libstdc++.so.6 has GLIBCXX_3.4.30");
  EXPECT_EQ(missing[1].found, "/lib/libstdc++.so.6");
}

TEST(ResolveVersionNeeds, WeakOnesAreNoFault) {
  World world;
  world.loaded("/lib/liba.so", exporting({}, {"V1"}));
  world.file(kPlugin, {.needed = {"liba.so"}, .version_needs = {{"liba.so", "V2", true}}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

TEST(ResolveVersionNeeds, AProviderWithoutDefinitionsIsNoFault) {
  World world;
  world.loaded("/lib/liba.so", exporting({}));
  world.file(kPlugin, {.needed = {"liba.so"}, .version_needs = {{"liba.so", "V2", false}}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

TEST(ResolveVersionNeeds, TheBaseVersionSatisfies) {
  World world;
  world.loaded("/lib/libcudart.so.13", {.soname = "libcudart.so.13", .base_version = "libcudart.so.13"});
  world.file(kPlugin,
             {.needed = {"libcudart.so.13"}, .version_needs = {{"libcudart.so.13", "libcudart.so.13", false}}});
  EXPECT_THAT(world.missing(kPlugin), IsEmpty());
}

TEST(ResolveVersionNeeds, OfDependenciesToo) {
  World world;
  world.file(kPlugin, {.needed = {"libdep.so"}, .runpath = "/lib"});
  world.file(
      "/lib/libdep.so",
      {.soname = "libdep.so", .needed = {"liba.so"}, .runpath = "/lib", .version_needs = {{"liba.so", "V2", false}}});
  world.file("/lib/liba.so", exporting({}, {"V1"}));
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].needed_by, "/lib/libdep.so");
}

// A version from a file that no DT_NEEDED names (any more): glibc asserts that it is there.
TEST(ResolveVersionNeeds, AProviderThatIsNotThereKillsTheProcess) {
  World world;
  world.file(kPlugin, {.version_needs = {{"librt.so.1", "GLIBC_2.2.5", false}, {"librt.so.1", "GLIBC_2.3", false}}});
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kLibrary);
  EXPECT_EQ(missing[0].name, "librt.so.1");
  EXPECT_THAT(missing[0].found, HasSubstr("the dynamic linker ends the process"));
}

TEST(ResolveVersionNeeds, AMissingProviderIsReportedOnce) {
  World world;
  world.file(kPlugin, {.needed = {"libgone.so"}, .version_needs = {{"libgone.so", "V1", false}}});
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kLibrary);
  EXPECT_EQ(missing[0].found, "");
}

// With a library missing, nothing is said of symbols it may hold.
TEST(ResolveWithoutALibrary, OnlySymbolsThatBelongElsewhere) {
  World world;
  world.loaded("/torch/libc10.so", {.soname = "libc10.so",
                                    .exports = {symbol("_ZN3c105ErrorC1Ev", "", 0), symbol("_ZN3c105Error4whatEv")}});
  world.loaded("/lib/libm.so.6", {.soname = "libm.so.6", .version_definitions = {"GLIBC_2.2.5"}});
  world.file(
      kPlugin,
      {.needed = {"libcudart.so.12", "libc10.so", "libm.so.6"},
       .imports = {symbol("cudaMalloc"), symbol("_ZN3c105Error3oldEv"), versioned("sinq", "GLIBC_2.2.5", "libm.so.6"),
                   versioned("cudaFree", "libcudart.so.12", "libcudart.so.12"), symbol("_ZN2at6Tensor3oldEv")}});
  EXPECT_THAT(names_of(world.missing(kPlugin)), ElementsAre("libcudart.so.12", "_ZN3c105Error3oldEv", "sinq"));
}

TEST(ResolveGuess, WhereTheClassLives) {
  World world;
  world.loaded("/torch/libc10.so",
               {.soname = "libc10.so",
                .exports = {symbol("_ZN3c105ErrorC1Ev"), symbol("_ZN3c104warnEv"), symbol("_ZN3c105Error4whatEv")}});
  world.loaded("/torch/libtorch_cpu.so", {.soname = "libtorch_cpu.so",
                                          .needed = {"libc10.so"},
                                          .exports = {symbol("_ZN3c1010Dispatcher4callEv"),
                                                      symbol("_ZN2at6Tensor3addEv"), weak("_ZN3c105Error4copyEv")}});
  world.file(kPlugin, {.needed = {"libtorch_cpu.so"},
                       .imports = {symbol("_ZNK3c1010Dispatcher3oldEi"), symbol("_ZN3c105Error3oldEv"),
                                   symbol("_ZN3c103oldEv"), symbol("_ZTVN2at6TensorE"),
                                   symbol("_ZN5torch7Library3oldEv"), symbol("PyGone"), symbol("gone")}});
  const auto missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(7));
  EXPECT_EQ(missing[0].expected_in, "libtorch_cpu.so") << "c10::Dispatcher lives there, whatever its namespace";
  EXPECT_EQ(missing[0].demangled, "c10::Dispatcher::old(int) const");
  EXPECT_EQ(missing[1].expected_in, "libc10.so");
  EXPECT_EQ(missing[2].expected_in, "libc10.so");
  EXPECT_EQ(missing[3].expected_in, "libtorch_cpu.so");
  EXPECT_EQ(missing[3].demangled, "vtable for at::Tensor");
  EXPECT_EQ(missing[4].expected_in, "libtorch_cpu.so") << "from the table";
  EXPECT_EQ(missing[5].expected_in, "python");
  EXPECT_EQ(missing[6].expected_in, "");
  EXPECT_EQ(missing[6].demangled, "gone");
}

}  // namespace
}  // namespace myops::link
