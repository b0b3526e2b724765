#include "loader/link/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loader/link/world.h"

namespace myops::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kPlugin = "/plugins/libx.so";

TEST(LibrarySearch, OrderWithRunpath) {
  World world;
  world.environment.library_path = {"/env"};
  world.environment.cache =
      cache_of({{"other.so", "/cache/other.so"}, {"liba.so", "/cache/liba.so"}, {"liba.so", "/later/liba.so"}});
  world.environment.default_folders = {"/lib", "/usr/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/ignored", .runpath = "/run1:/run2"});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(), ElementsAre("/env/liba.so", "/run1/liba.so", "/run2/liba.so", "/cache/liba.so",
                                         "/lib/liba.so", "/usr/lib/liba.so"));
}

TEST(LibrarySearch, OrderWithRpath) {
  World world;
  world.environment.library_path = {"/env"};
  world.environment.cache = cache_of({{"liba.so", "/cache/liba.so"}});
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/old1:/old2"});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(),
              ElementsAre("/old1/liba.so", "/old2/liba.so", "/env/liba.so", "/cache/liba.so", "/lib/liba.so"));
}

// Each step finds the file where the earlier ones do not.
TEST(LibrarySearch, TheFirstHitEndsIt) {
  const std::vector<std::string> places{"/old", "/env", "/cache", "/lib"};
  for (std::size_t first = 0; first < places.size(); ++first) {
    World world;
    world.environment.library_path = {"/env"};
    world.environment.cache = cache_of({{"liba.so", "/cache/liba.so"}});
    world.environment.default_folders = {"/lib"};
    world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/old"});
    for (std::size_t i = first; i < places.size(); ++i) world.file(places[i] + "/liba.so", {});
    EXPECT_THAT(paths_of(world.open(kPlugin).opened), ElementsAre(kPlugin, places[first] + "/liba.so"));
  }
}

TEST(LibrarySearch, RpathIsInherited) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "$ORIGIN/lib"});
  world.file("/plugins/lib/liba.so", {.needed = {"libb.so"}, .rpath = "/own"});
  world.file("/plugins/lib/libb.so", {.needed = {"libc.so"}});
  world.file("/plugins/lib/libc.so", {});
  EXPECT_THAT(world.open(kPlugin).missing, IsEmpty());
  EXPECT_THAT(world.asked(), ElementsAre("/plugins/lib/liba.so", "/own/libb.so", "/plugins/lib/libb.so", "/own/libc.so",
                                         "/plugins/lib/libc.so"));
}

TEST(LibrarySearch, RunpathIsNot) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/plugins/lib"});
  world.file("/plugins/lib/liba.so", {.needed = {"libb.so"}});
  world.file("/plugins/lib/libb.so", {});
  const Closure closure = world.open(kPlugin);
  ASSERT_THAT(closure.missing, SizeIs(1));
  EXPECT_EQ(closure.missing[0].soname, "libb.so");
  EXPECT_EQ(closure.missing[0].needed_by, "/plugins/lib/liba.so");
  EXPECT_THAT(closure.missing[0].searched, IsEmpty());
}

TEST(LibrarySearch, RunpathSwitchesInheritedRpathOff) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/lib"});
  world.file("/lib/liba.so", {.needed = {"libb.so"}, .runpath = "/elsewhere"});
  world.file("/lib/libb.so", {});
  const Closure closure = world.open(kPlugin);
  ASSERT_THAT(closure.missing, SizeIs(1));
  EXPECT_THAT(closure.missing[0].searched, ElementsAre("/elsewhere"));
}

// An object with both has no DT_RPATH for the linker: not for itself, and not for those it opens.
TEST(LibrarySearch, RpathBesideRunpathIsNotInherited) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/old", .runpath = "/new"});
  world.file("/new/liba.so", {.needed = {"libb.so"}});
  world.file("/old/libb.so", {});
  ASSERT_THAT(world.open(kPlugin).missing, SizeIs(1));
}

TEST(LibrarySearch, RpathOfTheExecutableIsLast) {
  World world;
  world.loaded("/app/bin/program", {.rpath = "$ORIGIN/../lib", .type = ET_DYN, .pie_executable = true}, true);
  world.file(kPlugin, {.needed = {"liba.so"}, .rpath = "/own"});
  world.file("/app/bin/../lib/liba.so", {});
  EXPECT_THAT(paths_of(world.open(kPlugin).opened), ElementsAre(kPlugin, "/app/bin/../lib/liba.so"));
  EXPECT_THAT(world.asked(), ElementsAre("/own/liba.so", "/app/bin/../lib/liba.so"));
}

TEST(LibrarySearch, ButNotOfAnyOtherLoadedFile) {
  World world;
  world.loaded("/torch/libc10.so", {.soname = "libc10.so", .rpath = "/lib"});
  world.file(kPlugin, {.needed = {"liba.so"}});
  world.file("/lib/liba.so", {});
  EXPECT_THAT(world.open(kPlugin).missing, SizeIs(1));
}

TEST(LibrarySearch, RpathOfTheExecutableDoesNotCountForRunpath) {
  World world;
  world.loaded("/app/program", {.rpath = "/lib", .type = ET_EXEC}, true);
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/own"});
  world.file("/lib/liba.so", {});
  EXPECT_THAT(world.open(kPlugin).missing, SizeIs(1));
}

TEST(LibrarySearch, FilesForOtherMachinesArePassedOver) {
  World world;
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/arm:/narrow"});
  world.file("/arm/liba.so", {.machine = EM_AARCH64});
  world.file("/narrow/liba.so", {.bits = 32});
  world.file("/lib/liba.so", {});
  EXPECT_THAT(paths_of(world.open(kPlugin).opened), ElementsAre(kPlugin, "/lib/liba.so"));
}

// glibc: "ELF file data encoding not little-endian".
TEST(LibrarySearch, AFileOfTheOtherByteOrderEndsIt) {
  World world;
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/big"});
  world.file("/big/liba.so", {.little_endian = false});
  world.file("/lib/liba.so", {});
  const std::vector<Missing> missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].name, "liba.so");
  EXPECT_EQ(
      missing[0].found,
      "/big/liba.so: wrong-architecture: for big-endian, this is little-endian; install the build for this machine");
}

TEST(LibrarySearch, ABrokenFileEndsIt) {
  World world;
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/run"});
  world.broken("/run/liba.so", {Code::kNotALibrary, "", "an ELF shared object", "text: hello", ""});
  world.file("/lib/liba.so", {});
  const std::vector<Missing> missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].kind, MissingKind::kLibrary);
  EXPECT_EQ(missing[0].name, "liba.so");
  EXPECT_EQ(missing[0].needed_by, kPlugin);
  EXPECT_THAT(missing[0].found,
              testing::AllOf(testing::StartsWith("/run/liba.so: not-a-library: "), testing::HasSubstr("text: hello")));
  EXPECT_THAT(missing[0].searched, ElementsAre("/run"));
}

TEST(LibrarySearch, SoDoesAnExecutable) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/run"});
  world.file("/run/liba.so", {.pie_executable = true});
  const std::vector<Missing> missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_THAT(missing[0].found, testing::HasSubstr("a position-independent executable"));
}

TEST(LibrarySearch, NamesWithASlashAreNotSearchedFor) {
  World world;
  world.environment.library_path = {"/env"};
  world.file(kPlugin, {.needed = {"$ORIGIN/parts/liba.so", "/abs/libb.so", "sub/libc.so"}, .runpath = "/run"});
  world.file("/plugins/parts/liba.so", {}).file("/abs/libb.so", {});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(world.asked(), ElementsAre("/plugins/parts/liba.so", "/abs/libb.so", "sub/libc.so"));
  ASSERT_THAT(closure.missing, SizeIs(1));
  EXPECT_EQ(closure.missing[0].soname, "sub/libc.so");
  EXPECT_THAT(closure.missing[0].searched, ElementsAre("sub"));
}

TEST(LibrarySearch, Tokens) {
  World world;
  world.environment.default_folders = {"/lib/x86_64-linux-gnu", "/usr/lib"};
  world.environment.platform = "haswell";
  world.file(kPlugin, {.needed = {"liba.so"},
                       .runpath = "$ORIGIN/../${LIB}:/opt/$PLATFORM:$ORIGINAL:${ORIGIN:/end$:$LIB_x:/${LIB}64"});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(),
              ElementsAre("/plugins/../lib/x86_64-linux-gnu/liba.so", "/opt/haswell/liba.so", "$ORIGINAL/liba.so",
                          "${ORIGIN/liba.so", "/end$/liba.so", "$LIB_x/liba.so", "/lib/x86_64-linux-gnu64/liba.so",
                          "/lib/x86_64-linux-gnu/liba.so", "/usr/lib/liba.so"));
}

// glibc drops a folder whose token stands for nothing.
TEST(LibrarySearch, TokensWithoutAValue) {
  World world;
  world.environment.platform = "";
  world.file(kPlugin, {.needed = {"liba.so", "$PLATFORM/libb.so"}, .runpath = "/opt/$PLATFORM:/opt/$LIB:/plain"});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(), ElementsAre("/plain/liba.so"));
}

TEST(LibrarySearch, OriginOfAFileInTheRootFolder) {
  World world;
  world.file("/libx.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN:$ORIGIN/sub"});
  world.open("/libx.so");
  EXPECT_THAT(world.asked(), ElementsAre("/liba.so", "//sub/liba.so"));
}

TEST(LibrarySearch, EmptyElementsMeanTheWorkingFolder) {
  World world;
  world.environment.library_path = {""};
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/run/:"});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(), ElementsAre("liba.so", "/run/liba.so"));
}

TEST(LibrarySearch, AnEmptyListMeansNothing) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = ""});
  world.open(kPlugin);
  EXPECT_THAT(world.asked(), IsEmpty());
}

TEST(LibrarySearch, HwcapsFoldersComeFirst) {
  World world;
  world.environment.hwcaps = {"glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"};
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}});
  world.file("/lib/glibc-hwcaps/x86-64-v2/liba.so", {}).file("/lib/liba.so", {});
  EXPECT_THAT(paths_of(world.open(kPlugin).opened), ElementsAre(kPlugin, "/lib/glibc-hwcaps/x86-64-v2/liba.so"));
}

TEST(LibrarySearch, NoDefaultFoldersForThoseThatSaySo) {
  World world;
  world.environment.default_folders = {"/lib"};
  world.environment.cache = cache_of({{"liba.so", "/lib/liba.so"}, {"libb.so", "/opt/libb.so"}});
  world.file(kPlugin, {.needed = {"liba.so", "libb.so"}, .no_default_folders = true});
  world.file("/lib/liba.so", {}).file("/opt/libb.so", {});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(world.asked(), ElementsAre("/opt/libb.so"));
  ASSERT_THAT(closure.missing, SizeIs(1));
  EXPECT_EQ(closure.missing[0].soname, "liba.so");
}

// 4000 names, each in 4000 folders: the product is bounded, and what was not looked for is not missing.
TEST(LibrarySearch, IsGivenUpWhereItWouldNotEnd) {
  World world;
  Library plugin{.runpath = ""};
  for (int i = 0; i < 4000; ++i) {
    plugin.needed.push_back("lib" + std::to_string(i) + ".so");
    *plugin.runpath += (i ? ":/" : "/") + std::to_string(i);
  }
  plugin.version_needs = {{"lib3999.so", "V_1"}};
  plugin.imports = {symbol("unknown")};
  world.file(kPlugin, plugin);
  const Closure closure = world.open(kPlugin);
  EXPECT_LE(world.asked().size(), kMaxLooks);
  EXPECT_THAT(closure.missing, SizeIs(world.asked().size() / 4000));
  ASSERT_TRUE(closure.gave_up);
  EXPECT_EQ(closure.gave_up->soname, "lib" + std::to_string(closure.missing.size()) + ".so");
  EXPECT_EQ(closure.gave_up->needed_by, kPlugin);
  for (const MissingLibrary& missing : closure.missing) ASSERT_THAT(missing.searched, SizeIs(kMaxFoldersTold));
  const std::vector<Missing> missing = resolve(closure);
  EXPECT_EQ(missing.size(), closure.missing.size() + 1) << "the version and the symbol may be in what is not known";
  EXPECT_EQ(missing.back().kind, MissingKind::kUnknown);
  EXPECT_EQ(missing.back().name, closure.gave_up->soname);
}

// A list costs what it is long, and is made once for all names.
TEST(LibrarySearch, FoldersThatRepeatCostLittle) {
  World world;
  Library plugin{.needed = {"liba.so", "libb.so"}, .runpath = "/same"};
  for (int i = 0; i < 300000; ++i) *plugin.runpath += ":/same/";
  world.file(kPlugin, plugin);
  EXPECT_THAT(world.open(kPlugin).missing, SizeIs(2));
  EXPECT_THAT(world.asked(), ElementsAre("/same/liba.so", "/same/libb.so"));
}

TEST(LibrarySearch, ACacheThatNamesNothingIsPassedOver) {
  World world;
  world.environment.cache = cache_of({{"liba.so", "/cache/liba.so"}});
  world.environment.default_folders = {"/lib"};
  world.file(kPlugin, {.needed = {"liba.so"}});
  world.file("/lib/liba.so", {});
  EXPECT_THAT(paths_of(world.open(kPlugin).opened), ElementsAre(kPlugin, "/lib/liba.so"));
}

}  // namespace
}  // namespace myops::link
