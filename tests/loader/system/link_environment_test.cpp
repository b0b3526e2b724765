#include "loader/system/link_environment.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "loader/system/host.h"
#include "loader/system/mapped.h"
#include "loader/system/open.h"
#include "loader/system/torch.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using testing::ScopedVariable;
using testing::TemporaryFolder;

// The torch this tree is built against.
class LinkEnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto choice = choose_torch(TORCH_FOLDER);
    ASSERT_TRUE(choice && choice->torch);
    torch_ = *choice->torch;
  }

  link::Environment make(Reading reading) {
    const link::Reader read = facts_reader(host_, torch_, reading);
    return link_environment(host_, torch_, read, reading);
  }

  static std::vector<std::string> sonames(const link::Environment& environment) {
    std::vector<std::string> names;
    for (const link::Object& object : environment.loaded) names.push_back(object.soname);
    return names;
  }

  static bool is_global(const link::Environment& environment, const std::string& soname) {
    return std::any_of(environment.global.begin(), environment.global.end(),
                       [&](std::size_t index) { return environment.loaded[index].soname == soname; });
  }

  const rules::HostFacts host_ = read_host();
  rules::TorchFacts torch_;
};

TEST_F(LinkEnvironmentTest, FollowsImportTorch) {
  if (torch_.python.empty()) GTEST_SKIP() << "the torch at hand has no Python";
  const link::Environment environment = make(Reading::kNames);
  EXPECT_EQ(environment.loaded.front().path, std::filesystem::canonical(torch_.python).string());
  const auto names = sonames(environment);
  for (const char* name : {"libc.so.6", "libc10.so", "libtorch_cpu.so", "libtorch_python.so", "libstdc++.so.6",
                           "libtorch_global_deps.so"}) {
    EXPECT_THAT(names, Contains(name));
  }
  EXPECT_TRUE(is_global(environment, "libc.so.6"));
  EXPECT_TRUE(is_global(environment, "libtorch_global_deps.so"));
  EXPECT_FALSE(is_global(environment, "libtorch_cpu.so"));
  EXPECT_FALSE(is_global(environment, "libc10.so"));
}

TEST_F(LinkEnvironmentTest, EachLibraryOnceAndInFullOnlyWhereAsked) {
  const link::Environment names = make(Reading::kNames);
  const link::Environment symbols = make(Reading::kSymbols);
  EXPECT_EQ(sonames(names), sonames(symbols));
  auto paths = sonames(symbols);
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
  const auto exports_of_c10 = [](const link::Environment& environment) {
    for (const auto& object : environment.loaded) {
      if (object.soname == "libc10.so") return object.facts->exports.size();
    }
    return std::size_t{0};
  };
  EXPECT_EQ(exports_of_c10(names), 0u);
  EXPECT_GT(exports_of_c10(symbols), 1'000u);
}

TEST_F(LinkEnvironmentTest, TorchWithoutPythonIsOpenedByThisProgram) {
  torch_.python.clear();
  const link::Environment environment = make(Reading::kNames);
  EXPECT_EQ(environment.loaded.front().path, std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_THAT(sonames(environment), Contains("libtorch_cpu.so"));
  EXPECT_FALSE(is_global(environment, "libtorch_cpu.so"));
}

TEST_F(LinkEnvironmentTest, PreloadedLibrariesAreGlobal) {
  if (torch_.python.empty()) GTEST_SKIP() << "the torch at hand has no Python";
  const ScopedVariable preload("LD_PRELOAD", "libm.so.6:" TINY_LIBRARY " /no/such/library.so");
  const link::Environment environment = make(Reading::kNames);
  EXPECT_TRUE(is_global(environment, std::filesystem::path(TINY_LIBRARY).filename().string()));
  EXPECT_TRUE(is_global(environment, "libm.so.6"));
}

TEST_F(LinkEnvironmentTest, CacheAndDefaultFoldersAreThisMachines) {
  const link::Environment environment = make(Reading::kNames);
  EXPECT_FALSE(environment.default_folders.empty());
  for (const std::string& folder : environment.default_folders)
    EXPECT_TRUE(std::filesystem::is_directory(folder)) << folder;
}

TEST_F(LinkEnvironmentTest, WideFoldersAreThoseOfTheMachinesLevel) {
  rules::HostFacts host = host_;
  host.libc = "glibc 2.37";
  const link::Reader read = facts_reader(host, torch_, Reading::kNames);
  host.cpu_level = "x86-64-v3";
  EXPECT_THAT(link_environment(host, torch_, read, Reading::kNames).hwcaps,
              ElementsAre("glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2"));
  host.cpu_level = "x86-64";
  EXPECT_THAT(link_environment(host, torch_, read, Reading::kNames).hwcaps, ElementsAre());
}

TEST_F(LinkEnvironmentTest, MappedTorchIsTakenAsItIs) {
  ASSERT_EQ(open_library(TORCH_FOLDER "/libtorch_cpu.so"), std::nullopt);
  torch_.mapped = true;
  const link::Environment environment = make(Reading::kSymbols);
  std::vector<std::string> paths;
  for (const auto& object : environment.loaded) paths.push_back(object.path);
  // And what apply() opens before a library for CUDA, with all that it needs: the last, since nothing needs it.
  if (!torch_.cuda.empty()) {
    EXPECT_EQ(paths.back(), TORCH_FOLDER "/libc10_cuda.so");
    EXPECT_FALSE(is_global(environment, "libc10_cuda.so"));
    paths.pop_back();
  }
  EXPECT_EQ(paths, mapped_libraries());
  EXPECT_TRUE(is_global(environment, "libc.so.6"));
  EXPECT_FALSE(is_global(environment, "libtorch_cpu.so"));
}

TEST_F(LinkEnvironmentTest, MappedFilesAreReadWhenAVersionOfThemIsNeeded) {
  const link::Reader read = facts_reader(host_, torch_, Reading::kNames);
  torch_.mapped = true;
  link::Environment environment = make(Reading::kNames);
  const auto object = [&](const std::string& soname) -> const link::Object& {
    return *std::ranges::find(environment.loaded, soname, &link::Object::soname);
  };
  EXPECT_TRUE(object("libc.so.6").unread);
  EXPECT_TRUE(object("libm.so.6").unread);
  elf::ElfFacts facts;
  facts.bits = 64;
  facts.needed = {"libc.so.6"};
  facts.version_needs = {{"libc.so.6", "GLIBC_2.2.5"}, {"libc.so.6", "GLIBC_9.9"}};
  const auto shared = std::make_shared<const elf::ElfFacts>(facts);
  link::Closure closure = link::gather_closure({"/x/libx.so", "libx.so", shared}, environment, read);
  read_needed(closure, environment);
  EXPECT_FALSE(object("libc.so.6").unread);
  EXPECT_TRUE(object("libm.so.6").unread);
  const auto missing = link::resolve(closure);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].kind, link::MissingKind::kVersion);
  EXPECT_EQ(missing[0].name, "GLIBC_9.9");
}

// Unmapped by another thread since the list was made.
TEST_F(LinkEnvironmentTest, LibraryThatIsGoneProvesNothing) {
  link::Environment environment;
  environment.loaded.add({"/no/such/libgone.so", "libgone.so", {}, {}, true});
  elf::ElfFacts facts;
  facts.version_needs = {{"libgone.so", "GONE_1"}};
  const auto shared = std::make_shared<const elf::ElfFacts>(facts);
  const link::Reader read = [](const std::string&) { return link::ReadOutcome(link::SharedFacts{}); };
  const link::Closure closure = link::gather_closure({"/x/libx.so", "libx.so", shared}, environment, read);
  read_needed(closure, environment);
  EXPECT_EQ(environment.loaded.front().facts, nullptr);
  EXPECT_THAT(link::resolve_names(closure), ElementsAre());
}

TEST_F(LinkEnvironmentTest, LibraryWhoseFileIsGoneStillAnswersToItsName) {
  const TemporaryFolder folder;
  for (const char* name : {"libremoved.so", "libreplaced.so"}) {
    std::filesystem::copy_file(TINY_LIBRARY, folder / name);
    ASSERT_EQ(open_library(folder / name), std::nullopt);
  }
  std::filesystem::remove(folder / "libremoved.so");
  std::filesystem::copy_file(NEEDING_LIBRARY, folder / "new");
  std::filesystem::rename(folder / "new", folder / "libreplaced.so");
  ASSERT_EQ(open_library(TORCH_FOLDER "/libtorch_cpu.so"), std::nullopt);
  torch_.mapped = true;
  const link::Environment environment = make(Reading::kNames);
  EXPECT_THAT(sonames(environment), IsSupersetOf({"libremoved.so", "libreplaced.so"}));
  for (const link::Object& object : environment.loaded) {
    if (object.path.starts_with(folder.path())) {
      EXPECT_EQ(object.facts, nullptr) << object.path;
    }
  }
}

TEST_F(LinkEnvironmentTest, FilesOfOtherMachinesCountAsAbsent) {
  rules::HostFacts other = host_;
  other.arch = other.arch == "aarch64" ? "x86_64" : "aarch64";
  const auto is_absent = [](const link::ReadOutcome& outcome) { return outcome.facts == nullptr && !outcome.fault; };
  const auto of_other = facts_reader(other, torch_, Reading::kNames)(TINY_LIBRARY);
  EXPECT_TRUE(is_absent(of_other));
  EXPECT_EQ(of_other.passed_over, "for " + host_.arch);
  const auto nothing = facts_reader(host_, torch_, Reading::kNames)("/no/such/library.so");
  EXPECT_TRUE(is_absent(nothing));
  EXPECT_EQ(nothing.passed_over, "");
  EXPECT_NE(facts_reader(host_, torch_, Reading::kNames)(TINY_LIBRARY).facts, nullptr);
}

TEST_F(LinkEnvironmentTest, FileThatIsNoLibraryEndsTheSearch) {
  const TemporaryFolder folder;
  const auto outcome = facts_reader(host_, torch_, Reading::kNames)(folder.write("libx.so", "INPUT(libx.so.1)"));
  EXPECT_EQ(outcome.facts, nullptr);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->code, Code::kNotALibrary);
}

}  // namespace
}  // namespace myops::system
