#include "loader/system/mapped.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "loader/system/facts_cache.h"
#include "loader/system/open.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

TEST(MappedLibraries, BeginsWithTheProgram) {
  const auto libraries = mapped_libraries();
  ASSERT_FALSE(libraries.empty());
  EXPECT_EQ(libraries.front(), std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_THAT(libraries, Contains(HasSubstr("/libc.so.6")));
  EXPECT_THAT(libraries, Not(Contains(HasSubstr("vdso"))));
}

TEST(MappedLibraries, GrowsByWhatIsOpened) {
  EXPECT_THAT(mapped_libraries(), Not(Contains(TINY_LIBRARY)));
  ASSERT_EQ(open_library(TINY_LIBRARY), std::nullopt);
  EXPECT_THAT(mapped_libraries(), Contains(TINY_LIBRARY));
}

TEST(FindByName, ComparesTheFileNameOnly) {
  const std::vector<std::string> libraries = {"/bin/program", "/a/libtorch_cpu.so.bak", "/b/libtorch_cpu.so"};
  EXPECT_EQ(find_by_name(libraries, "libtorch_cpu.so"), "/b/libtorch_cpu.so");
  EXPECT_EQ(find_by_name(libraries, "libtorch.so"), std::nullopt);
}

MappedLibrary mapped_at(const std::string& path) {
  for (const MappedLibrary& library : read_mapped_libraries()) {
    if (library.path == path) return library;
  }
  ADD_FAILURE() << path << " is not mapped";
  return {};
}

TEST(ReadMappedLibraries, ListsTheSameOnes) {
  std::vector<std::string> paths;
  for (const MappedLibrary& library : read_mapped_libraries()) {
    paths.push_back(library.path);
    EXPECT_FALSE(library.replaced) << library.path;
  }
  EXPECT_EQ(paths, mapped_libraries());
}

// iconv, name services, ctypes: libraries come and go in any thread. Read after the linker has let go of it, the memory
// of one that goes is no more: this died within seconds.
TEST(ReadMappedLibraries, MayGoWhileTheyAreRead) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(TINY_LIBRARY, folder / "libpassing.so");
  const std::string path = folder / "libpassing.so";
  std::atomic<bool> done = false;
  std::thread passing([&] {
    while (!done) {
      if (void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) ::dlclose(handle);
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) EXPECT_FALSE(read_mapped_memory().empty());
  done = true;
  passing.join();
}

TEST(ReadMappedLibraries, TellsNameAndBuildIdFromMemory) {
  const auto libc = find_by_name(mapped_libraries(), "libc.so.6");
  ASSERT_TRUE(libc);
  const auto facts = facts_cache().read(*libc, elf::Depth::kIdentity);
  ASSERT_TRUE(facts);
  EXPECT_EQ(mapped_at(*libc).soname, "libc.so.6");
  EXPECT_EQ(mapped_at(*libc).build_id, (*facts)->build_id);
}

// Of every library here the memory and the file must say the same.
TEST(MemoryImage, HasTheVersionsThatTheFileDefines) {
  std::size_t with_versions = 0;
  for (const std::string& path : mapped_libraries()) {
    const auto read = facts_cache().read(path, elf::Depth::kVersions);
    ASSERT_TRUE(read) << path;
    const elf::ElfFacts& file = **read;
    elf::ElfFacts memory;
    EXPECT_TRUE(ask_memory(path, [&](const MemoryImage& image) { memory = image.versions(); })) << path;
    EXPECT_EQ(memory.soname, file.soname) << path;
    EXPECT_EQ(memory.has_version_definitions, file.has_version_definitions) << path;
    EXPECT_EQ(memory.base_version, file.base_version) << path;
    EXPECT_EQ(memory.version_definitions, file.version_definitions) << path;
    with_versions += file.has_version_definitions ? 1 : 0;
  }
  EXPECT_GE(with_versions, 3u) << "libc, libm and libstdc++ have some";
}

TEST(MemoryImage, LooksThroughTheNamesOfALibrary) {
  const auto libc = find_by_name(mapped_libraries(), "libc.so.6");
  ASSERT_TRUE(libc);
  const auto contains = [&](std::string_view part) {
    bool found = false;
    EXPECT_TRUE(ask_memory(*libc, [&](const MemoryImage& image) { found = image.names_contain(part); }));
    return found;
  };
  EXPECT_TRUE(contains("GLIBC_2.2.5"));
  EXPECT_FALSE(contains("myops_no_such_name"));
}

TEST(MemoryImage, IsOfWhatIsMappedOnly) {
  EXPECT_FALSE(ask_memory("/no/such/library.so", [](const MemoryImage&) { ADD_FAILURE(); }));
}

TEST(ReadMappedLibraries, SeesThatAFileWasReplacedOrRemoved) {
  const TemporaryFolder folder;
  for (const char* name : {"libreplaced.so", "libremoved.so", "libmoved.so", "libkept.so"}) {
    std::filesystem::copy_file(TINY_LIBRARY, folder / name);
    ASSERT_EQ(open_library(folder / name), std::nullopt);
    EXPECT_FALSE(mapped_at(folder / name).replaced);
  }
  std::filesystem::copy_file(TINY_LIBRARY, folder / "new");
  std::filesystem::rename(folder / "new", folder / "libreplaced.so");
  std::filesystem::remove(folder / "libremoved.so");
  std::filesystem::rename(folder / "libmoved.so", folder / "elsewhere.so");
  folder.link("elsewhere.so", "libmoved.so");
  EXPECT_TRUE(mapped_at(folder / "libreplaced.so").replaced);
  EXPECT_TRUE(mapped_at(folder / "libremoved.so").replaced);
  EXPECT_FALSE(mapped_at(folder / "libmoved.so").replaced) << "a link leads to the same file";
  EXPECT_FALSE(mapped_at(folder / "libkept.so").replaced);
}

TEST(GlobalScope, KnowsVersions) {
  EXPECT_TRUE(is_in_global_scope("dlopen", ""));
  EXPECT_FALSE(is_in_global_scope("malloc", "MYOPS_1.0"));
  const std::string version =
#if defined(__x86_64__)
      "GLIBC_2.2.5";
#else
      "GLIBC_2.17";
#endif
  EXPECT_TRUE(is_in_global_scope("malloc", version));
}

TEST(GlobalScope, HoldsTheCLibraryAndNotWhatIsOpenedLocally) {
  EXPECT_TRUE(is_in_global_scope("malloc"));
  ASSERT_EQ(open_library(TINY_LIBRARY), std::nullopt);
  EXPECT_FALSE(is_in_global_scope("myops_tiny_answer"));
}

}  // namespace
}  // namespace myops::system
