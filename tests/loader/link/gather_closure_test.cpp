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

TEST(GatherClosure, BreadthFirst) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so", "libb.so"}, .runpath = "/lib"});
  world.file("/lib/liba.so", {.soname = "liba.so", .needed = {"libc.so", "libb.so"}, .runpath = "/lib"});
  world.file("/lib/libb.so", {.soname = "libb.so", .needed = {"libd.so"}, .runpath = "/lib"});
  world.file("/lib/libc.so", {.soname = "libc.so"});
  world.file("/lib/libd.so", {.soname = "libd.so", .needed = {"liba.so"}});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.opened),
              ElementsAre(kPlugin, "/lib/liba.so", "/lib/libb.so", "/lib/libc.so", "/lib/libd.so"));
  EXPECT_EQ(paths_of(closure.scope), paths_of(closure.opened));
  EXPECT_THAT(closure.missing, IsEmpty());
}

TEST(GatherClosure, TheGlobalScopeComesFirst) {
  World world;
  world.loaded("/bin/python", {.type = ET_EXEC}, true).loaded("/lib/libpython.so", {.soname = "libpython.so"}, true);
  world.loaded("/torch/libc10.so", {.soname = "libc10.so"});
  world.file(kPlugin, {.needed = {"libc10.so", "libpython.so"}});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.scope), ElementsAre("/bin/python", "/lib/libpython.so", kPlugin, "/torch/libc10.so"));
  EXPECT_THAT(paths_of(closure.opened), ElementsAre(kPlugin));
  EXPECT_THAT(paths_of(closure.known), ElementsAre("/bin/python", "/lib/libpython.so", "/torch/libc10.so", kPlugin));
}

// Whatever folders say: a library of that SONAME in the process is the one.
TEST(GatherClosure, LoadedLibrariesAnswerBySoname) {
  World world;
  world.loaded("/torch/lib/libc10-renamed.so", {.soname = "libc10.so"});
  world.file("/other/libc10.so", {.soname = "libc10.so"});
  world.file(kPlugin, {.needed = {"libc10.so"}, .rpath = "/other"});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.scope), ElementsAre(kPlugin, "/torch/lib/libc10-renamed.so"));
  EXPECT_THAT(world.asked(), IsEmpty());
}

TEST(GatherClosure, DependenciesOfLoadedLibrariesAreInScope) {
  World world;
  world.loaded("/torch/libtorch_cpu.so", {.soname = "libtorch_cpu.so", .needed = {"libc10.so", "libgone.so"}});
  world.loaded("/torch/libc10.so", {.soname = "libc10.so"});
  world.file(kPlugin, {.needed = {"libtorch_cpu.so"}});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.scope), ElementsAre(kPlugin, "/torch/libtorch_cpu.so", "/torch/libc10.so"));
  EXPECT_THAT(closure.missing, IsEmpty()) << "what is loaded found all that it needed";
}

TEST(GatherClosure, OpenedFilesAnswerByTheNameTheyWereAskedForBy) {
  World world;
  world.file(kPlugin, {.needed = {"libz.so", "libq.so"}, .runpath = "/lib"});
  world.file("/lib/libz.so", {.soname = "libz.so.1"});
  world.file("/lib/libq.so", {.needed = {"libz.so.1", "libz.so"}});
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.opened), ElementsAre(kPlugin, "/lib/libz.so", "/lib/libq.so"));
  EXPECT_THAT(closure.opened[1]->names, ElementsAre("libz.so"));
  EXPECT_THAT(closure.missing, IsEmpty());
}

TEST(GatherClosure, TwoPathsOfOneFileAreOneObject) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so", "libalias.so"}, .runpath = "/lib"});
  world.file("/lib/liba.so", {}).same_file("/lib/libalias.so", "/lib/liba.so");
  const Closure closure = world.open(kPlugin);
  EXPECT_THAT(paths_of(closure.opened), ElementsAre(kPlugin, "/lib/liba.so"));
  EXPECT_THAT(closure.opened[1]->names, ElementsAre("liba.so", "libalias.so"));
}

TEST(GatherClosure, AFileThatIsLoadedAlreadyOpensNothing) {
  World world;
  world.loaded(kPlugin, {.needed = {"libgone.so"}});
  world.same_file("/link/libx.so", kPlugin);
  EXPECT_THAT(world.open(kPlugin).opened, IsEmpty());
  EXPECT_THAT(world.open("/link/libx.so").opened, IsEmpty());
  EXPECT_THAT(world.missing("/link/libx.so"), IsEmpty());
}

TEST(GatherClosure, ALibraryMayNeedItself) {
  World world;
  world.file(kPlugin, {.soname = "libx.so", .needed = {"libx.so"}});
  EXPECT_THAT(paths_of(world.open(kPlugin).scope), ElementsAre(kPlugin));
}

TEST(GatherClosure, MissingLibrariesAreListedOnceEach) {
  World world;
  world.environment.library_path = {"/env"};
  world.environment.default_folders = {"/lib", "/usr/lib"};
  world.file(kPlugin, {.needed = {"libgone.so", "liba.so", "libaway.so"}, .runpath = "$ORIGIN/lib:/env:$ORIGIN/lib"});
  world.file("/plugins/lib/liba.so", {.needed = {"libgone.so"}});
  const Closure closure = world.open(kPlugin);
  ASSERT_THAT(closure.missing, SizeIs(2));
  EXPECT_EQ(closure.missing[0].soname, "libgone.so");
  EXPECT_EQ(closure.missing[0].needed_by, kPlugin);
  EXPECT_THAT(closure.missing[0].searched, ElementsAre("/env", "/plugins/lib", "/lib", "/usr/lib"));
  EXPECT_EQ(closure.missing[0].found, "");
  EXPECT_EQ(closure.missing[1].soname, "libaway.so");
}

TEST(GatherClosure, WhatOneFileMissesAnotherMayFind) {
  World world;
  world.file(kPlugin, {.needed = {"libhelper.so", "liba.so"}, .runpath = "/lib"});
  world.file("/lib/liba.so", {.needed = {"libhelper.so"}, .runpath = "/helpers"});
  world.file("/helpers/libhelper.so", {.soname = "libhelper.so"});
  const Closure closure = world.open(kPlugin);
  ASSERT_THAT(closure.missing, SizeIs(1)) << "the file itself fails: it is asked first";
  EXPECT_EQ(closure.missing[0].needed_by, kPlugin);
  EXPECT_THAT(paths_of(closure.opened), ElementsAre(kPlugin, "/lib/liba.so", "/helpers/libhelper.so"));
}

TEST(GatherClosure, TellsWhatWasPassedOverWhereNothingIsFound) {
  World world;
  world.file(kPlugin, {.needed = {"liba.so"}, .runpath = "/none:/arm:/narrow:/locked"});
  world.file("/arm/liba.so", {.machine = EM_AARCH64});
  world.file("/narrow/liba.so", {.bits = 32});
  world.passed_over("/locked/liba.so", "Permission denied");
  const std::vector<Missing> missing = world.missing(kPlugin);
  ASSERT_THAT(missing, SizeIs(1));
  EXPECT_EQ(missing[0].found, "");
  EXPECT_THAT(missing[0].passed_over, ElementsAre("/arm/liba.so (for aarch64)", "/narrow/liba.so (for x86_64, 32-bit)",
                                                  "/locked/liba.so (Permission denied)"));
}

}  // namespace
}  // namespace myops::link
