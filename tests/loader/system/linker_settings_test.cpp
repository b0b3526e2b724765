#include "loader/system/linker_settings.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "loader/system/probe.h"
#include "tests/loader/system/scoped_variable.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScopedVariable;

// Each as `LD_DEBUG=libs` of glibc 2.36 shows it.
TEST(LinkerSettings, LibraryPathIsTakenApartAsTheLinkerDoes) {
  EXPECT_THAT(library_path_elements(""), IsEmpty());
  EXPECT_THAT(library_path_elements(":"), ElementsAre("", ""));
  EXPECT_THAT(library_path_elements("/x:"), ElementsAre("/x", ""));
  EXPECT_THAT(library_path_elements("/x::/y"), ElementsAre("/x", "", "/y"));
  EXPECT_THAT(library_path_elements("/x:/y;/z"), ElementsAre("/x", "/y", "/z"));
  EXPECT_THAT(library_path_elements("/x;"), ElementsAre("/x", ""));
}

constexpr const char* kInChild = "MYOPS_TEST_STARTED_ANEW";

TEST(LinkerSettings, LibraryPathIsThatOfTheStart) {
  if (std::getenv(kInChild) != nullptr) {
    EXPECT_THAT(linker_settings({}).library_path, ElementsAre("/a", "", "/b"));
    return;
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto outcome = run_child({"/usr/bin/env", "LD_LIBRARY_PATH=/a::/b", std::string(kInChild) + "=1", self,
                                  "--gtest_filter=LinkerSettings.LibraryPathIsThatOfTheStart"},
                                 std::chrono::minutes(1));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 0) << outcome->output;
}

TEST(LinkerSettings, WhatIsSetLaterTheLinkerDoesNotSee) {
  const ScopedVariable library_path("LD_LIBRARY_PATH", "/set/later");
  EXPECT_THAT(linker_settings({}).library_path, Not(Contains("/set/later")));
}

rules::HostFacts host(const char* libc, const char* level, const char* cpu = "AMD EPYC 9654") {
  rules::HostFacts host;
  host.arch = "x86_64";
  host.libc = libc;
  host.cpu_level = level;
  host.cpu_name = cpu;
  return host;
}

TEST(LinkerSettings, SubfoldersOfNewLinkersAreTheLevels) {
  for (const char* libc : {"glibc 2.37", "glibc 2.41", "", "musl 1.2.5"}) {
    EXPECT_THAT(hwcaps_subfolders(host(libc, "x86-64-v3")),
                ElementsAre("glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"))
        << libc;
  }
  EXPECT_THAT(hwcaps_subfolders(host("glibc 2.37", "x86-64")), IsEmpty());
}

// The order is that which `LD_DEBUG=libs` of glibc 2.36 shows.
TEST(LinkerSettings, OlderLinkersLookIntoTheOldSubfoldersToo) {
  EXPECT_THAT(
      hwcaps_subfolders(host("glibc 2.36", "x86-64-v2")),
      ElementsAre("glibc-hwcaps/x86-64-v2", "tls/x86_64/x86_64", "tls/x86_64", "tls", "x86_64/x86_64", "x86_64"));
  EXPECT_THAT(
      hwcaps_subfolders(host("glibc 2.28", "x86-64-v3", "Intel(R) Xeon(R)")),
      ElementsAre("tls/haswell/x86_64", "tls/haswell", "tls/x86_64", "tls", "haswell/x86_64", "haswell", "x86_64"))
      << "2.28 knows no levels";
  EXPECT_THAT(hwcaps_subfolders(host("glibc 2.36", "x86-64-v4", "Intel(R) Xeon(R)")),
              Contains("tls/haswell/avx512_1/x86_64"));
  rules::HostFacts arm = host("glibc 2.36", "");
  arm.arch = "aarch64";
  EXPECT_THAT(hwcaps_subfolders(arm), IsEmpty());
}

}  // namespace
}  // namespace myops::system
