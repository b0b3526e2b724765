#include "loader/system/mapped.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "loader/system/open.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(GlobalScope, HoldsTheCLibraryAndNotWhatIsOpenedLocally) {
  EXPECT_TRUE(is_in_global_scope("malloc"));
  ASSERT_EQ(open_library(TINY_LIBRARY), std::nullopt);
  EXPECT_FALSE(is_in_global_scope("myops_tiny_answer"));
}

}  // namespace
}  // namespace myops::system
