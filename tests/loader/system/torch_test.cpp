#include "loader/system/torch.h"

#include <dlfcn.h>

#include "loader/system/mapped.h"
#include "loader/system/open.h"
#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/torch_files.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is_reason;
using ::testing::IsEmpty;
using testing::kVersionPy;
using testing::ScopedVariable;
using testing::TemporaryFolder;
using testing::write_python_with_torch;
using testing::write_torch_libraries;

class ChooseTorchTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const ScopedVariable virtual_env_{"VIRTUAL_ENV", std::nullopt};
  const ScopedVariable python_path_{"PYTHONPATH", std::nullopt};
  const ScopedVariable home_{"HOME", folder_.path()};
  const ScopedVariable path_{"PATH", folder_ / "no-programs"};
};

TEST_F(ChooseTorchTest, NamedOneComesBeforeTheEnvironments) {
  write_python_with_torch(folder_, "venv");
  write_torch_libraries(folder_, "libtorch/lib", false);
  folder_.write("libtorch/build-version", "2.11.0+cpu\n");
  const ScopedVariable virtual_env("VIRTUAL_ENV", folder_ / "venv");
  const auto choice = choose_torch(folder_ / "libtorch");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->torch->version, "2.11.0");
  EXPECT_EQ(choice->torch->python, "");
  EXPECT_FALSE(choice->torch->mapped);
}

TEST_F(ChooseTorchTest, TakesTheEnvironments) {
  write_python_with_torch(folder_, "venv");
  const ScopedVariable virtual_env("VIRTUAL_ENV", folder_ / "venv");
  const auto choice = choose_torch("");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->torch->version, "2.15.0");
  EXPECT_EQ(choice->torch->minor(), "2.15");
  EXPECT_EQ(choice->torch->lib_dir, folder_ / "venv/lib/python3.11/site-packages/torch/lib");
  EXPECT_EQ(choice->torch->python, folder_ / "venv/bin/python3.11");
  EXPECT_THAT(choice->notes, IsEmpty());
}

TEST_F(ChooseTorchTest, NoneFoundIsAnAnswerThatSaysWhatToDo) {
  const auto choice = choose_torch("");
  ASSERT_TRUE(choice);
  EXPECT_FALSE(choice->torch);
  EXPECT_THAT(choice->notes, ElementsAre(HasSubstr("MYOPS_TORCH")));
}

TEST_F(ChooseTorchTest, BrokenOneOfTheEnvironmentIsANote) {
  write_python_with_torch(folder_, "venv");
  std::filesystem::remove(folder_ / "venv/lib/python3.11/site-packages/torch/version.py");
  const ScopedVariable virtual_env("VIRTUAL_ENV", folder_ / "venv");
  const auto choice = choose_torch("");
  ASSERT_TRUE(choice);
  EXPECT_FALSE(choice->torch);
  EXPECT_THAT(choice->notes, ElementsAre(HasSubstr("cannot be used: torch-not-found")));
}

TEST_F(ChooseTorchTest, WrongNameIsAnError) {
  const auto choice = choose_torch(folder_.path());
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error(), is_reason(Code::kTorchNotFound, folder_.path(), HasSubstr("libtorch_cpu.so"), "neither"));
}

// Runs last in its own process: torch stays.
TEST_F(ChooseTorchTest, MappedOneComesBeforeTheNamed) {
  write_python_with_torch(folder_, "venv");
  ASSERT_EQ(open_library(TORCH_FOLDER "/libtorch_cpu.so"), std::nullopt);
  const auto choice = choose_torch(folder_ / "venv/lib/python3.11/site-packages/torch");
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->torch->mapped);
  EXPECT_FALSE(choice->torch->cuda_mapped);
  EXPECT_EQ(choice->torch->lib_dir, TORCH_FOLDER);
  EXPECT_EQ(mapped_torch_version(TORCH_FOLDER "/libtorch_cpu.so"), TORCH_VERSION_TEXT);
  EXPECT_THAT(choice->notes, ElementsAre(HasSubstr("is not used")));
  const auto misspelt = choose_torch("/no/such/torch");
  ASSERT_TRUE(misspelt);
  EXPECT_THAT(misspelt->notes, ElementsAre(HasSubstr("the torch named, /no/such/torch, is none; ")));
}

// A torch that is reinstalled while it runs: the names stay, the code does not.
TEST_F(ChooseTorchTest, FilesOfAnotherBuildSayNothingOfTheOneThatRuns) {
  write_torch_libraries(folder_, "torch/lib");
  folder_.write("torch/version.py", kVersionPy);
  for (const char* name : {"libc10.so", "libtorch_cpu.so"}) {
    ASSERT_EQ(open_library(folder_ / "torch/lib/" + name), std::nullopt);
  }
  const auto before = choose_torch("");
  ASSERT_TRUE(before && before->torch);
  EXPECT_EQ(before->torch->git, "d0f2af8b");
  EXPECT_THAT(before->notes, IsEmpty());

  std::filesystem::copy_file(NEEDING_LIBRARY, folder_ / "new");
  std::filesystem::rename(folder_ / "new", folder_ / "torch/lib/libc10.so");
  const auto after = choose_torch("");
  ASSERT_TRUE(after && after->torch);
  EXPECT_TRUE(after->torch->mapped);
  EXPECT_EQ(after->torch->build_ids.at("libc10.so"), before->torch->build_ids.at("libc10.so"));
  EXPECT_EQ(after->torch->build_ids.at("libtorch_cpu.so"), before->torch->build_ids.at("libtorch_cpu.so"));
  EXPECT_EQ(after->torch->version + after->torch->git + after->torch->cuda + after->torch->cxx11_abi, "");
  EXPECT_THAT(after->notes, ElementsAre(HasSubstr("restart the process")));
}

TEST(MappedTorchVersion, IsReadFromTheAbiNumber) {
  EXPECT_EQ(version_from_abi(0x020f000000000000), "2.15.0");
  EXPECT_EQ(version_from_abi(0x020b010000000003), "2.11.1");
}

TEST(MappedTorchVersion, IsEmptyWhereNoTorchIsMapped) {
  EXPECT_EQ(mapped_torch_version(TORCH_FOLDER "/libtorch_cpu.so"), "");
  EXPECT_EQ(::dlopen(TORCH_FOLDER "/libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD), nullptr) << "asking opened it";
}

}  // namespace
}  // namespace myops::system
