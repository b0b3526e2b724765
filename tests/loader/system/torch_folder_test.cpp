#include "loader/system/torch_folder.h"

#include <gmock/gmock.h>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/torch_files.h"

namespace myops::system {
namespace {

using testing::is_reason;
using testing::kVersionPy;
using testing::TemporaryFolder;
using testing::write_torch_libraries;

TEST(VersionPy, OfAReleaseWithCuda) {
  const VersionText text = parse_version_py(kVersionPy);
  EXPECT_EQ(text.version, "2.15.0");
  EXPECT_EQ(text.cuda, "13.2");
  EXPECT_EQ(text.git, "d0f2af8b");
  EXPECT_EQ(text.hip, "");
}

TEST(VersionPy, OfOtherBuilds) {
  EXPECT_EQ(parse_version_py("__version__ = \"2.16.0.dev20261101+cpu\"\ncuda = None\n").version, "2.16.0.dev20261101");
  EXPECT_EQ(parse_version_py("__version__ = '2.11.0'\ncuda = '12.1'\n").cuda, "12.1");
  EXPECT_EQ(parse_version_py("__version__ = '2.11.0+rocm6.4'\nhip: Optional[str] = '6.4.43483'\n").hip, "6.4.43483");
  EXPECT_EQ(parse_version_py("").version, "");
  EXPECT_EQ(parse_version_py("__version__ = get_version()\n").version, "");
}

TEST(BuildVersion, OfLibtorchArchives) {
  EXPECT_EQ(parse_build_version("2.15.0+cu132\n").version, "2.15.0");
  EXPECT_EQ(parse_build_version("2.15.0+cu132\n").cuda, "13.2");
  EXPECT_EQ(parse_build_version("2.4.0+cu118").cuda, "11.8");
  EXPECT_EQ(parse_build_version("2.15.0+cpu").cuda, "");
  EXPECT_EQ(parse_build_version("2.11.0+rocm6.4").hip, "6.4");
}

TEST(TorchLibraryFolder, AcceptsPackageLibAndRoot) {
  const TemporaryFolder folder;
  write_torch_libraries(folder, "torch/lib");
  EXPECT_EQ(torch_library_folder(folder / "torch"), folder / "torch/lib");
  EXPECT_EQ(torch_library_folder(folder / "torch/lib"), folder / "torch/lib");
  EXPECT_EQ(torch_library_folder(folder / "torch/lib/../lib"), folder / "torch/lib");
  EXPECT_EQ(torch_library_folder(folder.path()), std::nullopt);
  EXPECT_EQ(torch_library_folder(""), std::nullopt);
}

TEST(ReadTorch, FromAPackage) {
  const TemporaryFolder folder;
  write_torch_libraries(folder, "torch/lib");
  folder.write("torch/version.py", kVersionPy);
  const auto torch = read_torch(folder / "torch/lib");
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->version, "2.15.0");
  EXPECT_EQ(torch->cuda, "13.2");
  EXPECT_EQ(torch->lib_dir, folder / "torch/lib");
  EXPECT_EQ(torch->build_ids.size(), 3u);
  EXPECT_EQ(torch->build_ids.at("libc10.so").size(), 40u);
  EXPECT_FALSE(torch->mapped);
}

TEST(ReadTorch, FromAnArchive) {
  const TemporaryFolder folder;
  write_torch_libraries(folder, "libtorch/lib", false);
  folder.write("libtorch/build-version", "2.15.0+cpu\n");
  folder.write("libtorch/build-hash", "d0f2af8b66\n");
  const auto torch = read_torch(folder / "libtorch/lib");
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->version, "2.15.0");
  EXPECT_EQ(torch->git, "d0f2af8b66");
  EXPECT_EQ(torch->cuda, "");
}

TEST(ReadTorch, WithoutAVersionIsNone) {
  const TemporaryFolder folder;
  write_torch_libraries(folder, "torch/lib");
  const auto torch = read_torch(folder / "torch/lib");
  ASSERT_FALSE(torch);
  EXPECT_THAT(torch.error(), is_reason(Code::kTorchNotFound, folder / "torch/lib",
                                       "version.py or build-version beside the folder", "neither"));
}

TEST(ReadTorch, DamagedLibraryIsTold) {
  const TemporaryFolder folder;
  folder.write("torch/lib/libc10.so", "no ELF");
  folder.write("torch/lib/libtorch_cpu.so", "no ELF");
  folder.write("torch/version.py", kVersionPy);
  const auto torch = read_torch(folder / "torch/lib");
  ASSERT_FALSE(torch);
  EXPECT_EQ(torch.error().code, Code::kNotALibrary);
}

// The torch this tree is built against.
TEST(ReadTorch, RealOne) {
  const auto torch = read_torch(TORCH_FOLDER);
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->version.substr(0, std::string(TORCH_VERSION_TEXT).size()), TORCH_VERSION_TEXT);
  EXPECT_EQ(torch->cxx11_abi, "new");
  EXPECT_FALSE(torch->build_ids.at("libtorch_cpu.so").empty());
}

}  // namespace
}  // namespace myops::system
