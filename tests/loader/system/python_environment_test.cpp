#include "loader/system/python_environment.h"

#include <gmock/gmock.h>

#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/torch_files.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using testing::ScopedVariable;
using testing::TemporaryFolder;
using testing::write_python_with_torch;

class PythonEnvironmentTest : public ::testing::Test {
 protected:
  void write_program(const std::string& name) const {
    const std::string path = folder_.write(name, "");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  const TemporaryFolder folder_;
  const ScopedVariable virtual_env_{"VIRTUAL_ENV", std::nullopt};
  const ScopedVariable python_path_{"PYTHONPATH", std::nullopt};
  const ScopedVariable home_{"HOME", folder_ / "home"};
  const ScopedVariable path_{"PATH", "/no/such/folder"};
};

TEST_F(PythonEnvironmentTest, VirtualEnvironmentComesBeforePath) {
  write_program("a/bin/python3");
  write_program("b/bin/python3");
  const ScopedVariable path("PATH", ":" + folder_ / "nothing" + ":" + folder_ / "a/bin");
  EXPECT_EQ(python_on_path(), folder_ / "a/bin/python3");
  const ScopedVariable virtual_env("VIRTUAL_ENV", folder_ / "b");
  EXPECT_EQ(python_on_path(), folder_ / "b/bin/python3");
}

TEST_F(PythonEnvironmentTest, WithoutPythonThereIsNone) { EXPECT_EQ(python_on_path(), ""); }

TEST_F(PythonEnvironmentTest, FindsTorchOfAPlainInstallation) {
  write_python_with_torch(folder_, "usr");
  EXPECT_EQ(torch_package(folder_ / "usr/bin/python3"), folder_ / "usr/lib/python3.11/site-packages/torch");
  EXPECT_EQ(python_of_package(folder_ / "usr/lib/python3.11/site-packages/torch"), folder_ / "usr/bin/python3.11");
}

TEST_F(PythonEnvironmentTest, VirtualEnvironmentIsKnownByThePathNotByItsTarget) {
  write_python_with_torch(folder_, "base");
  folder_.write("venv/pyvenv.cfg", "home = " + folder_ / "base/bin" + "\ninclude-system-site-packages = false\n");
  folder_.make_folder("venv/bin");
  folder_.link(folder_ / "base/bin/python3.11", "venv/bin/python3");
  folder_.make_folder("venv/lib/python3.11/site-packages");
  EXPECT_THAT(package_folders(folder_ / "venv/bin/python3"),
              ElementsAre(folder_ / "venv/lib/python3.11/site-packages"));
  EXPECT_EQ(torch_package(folder_ / "venv/bin/python3"), std::nullopt);
}

TEST_F(PythonEnvironmentTest, VirtualEnvironmentMayIncludeTheBase) {
  write_python_with_torch(folder_, "base");
  folder_.write("venv/pyvenv.cfg", "home = x\ninclude-system-site-packages = true\n");
  folder_.make_folder("venv/bin");
  folder_.link(folder_ / "base/bin/python3.11", "venv/bin/python3");
  folder_.make_folder("venv/lib/python3.11/site-packages");
  EXPECT_EQ(torch_package(folder_ / "venv/bin/python3"), folder_ / "base/lib/python3.11/site-packages/torch");
}

TEST_F(PythonEnvironmentTest, PythonPathAndUserSiteComeFirst) {
  write_python_with_torch(folder_, "usr");
  folder_.make_folder("home/.local/lib/python3.11/site-packages");
  folder_.make_folder("home/.local/lib/python3.12/site-packages");
  const ScopedVariable python_path("PYTHONPATH", folder_ / "mine:");
  EXPECT_THAT(package_folders(folder_ / "usr/bin/python3"),
              ElementsAre(folder_ / "mine", folder_ / "home/.local/lib/python3.11/site-packages",
                          folder_ / "usr/lib/python3.11/site-packages"));
}

TEST_F(PythonEnvironmentTest, DebianKeepsPackagesElsewhere) {
  write_program("usr/bin/python3.11");
  folder_.link("python3.11", "usr/bin/python3");
  folder_.make_folder("usr/lib/python3/dist-packages");
  folder_.make_folder("usr/lib/python3.12/dist-packages");
  EXPECT_THAT(package_folders(folder_ / "usr/bin/python3"), ElementsAre(folder_ / "usr/lib/python3/dist-packages"));
}

TEST_F(PythonEnvironmentTest, PackageOutsideAnEnvironmentHasNoPython) {
  EXPECT_EQ(python_of_package("/opt/libtorch"), "");
  EXPECT_EQ(python_of_package(folder_ / "usr/lib/python3.11/site-packages/torch"), "");
}

}  // namespace
}  // namespace myops::system
