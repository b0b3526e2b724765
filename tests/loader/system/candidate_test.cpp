#include "loader/system/candidate.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using testing::is_reason;
using ::testing::Optional;
using testing::ScopedWorkingFolder;
using testing::TemporaryFolder;

TEST(CandidateAt, TakesRelativePathsFromTheWorkingFolder) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.so", "12345");
  const ScopedWorkingFolder here(folder.path());
  const rules::CandidateFile file = candidate_at("x.so");
  EXPECT_EQ(file.path, path);
  EXPECT_EQ(file.folder, folder.path());
  EXPECT_EQ(file.real_path, path);
  EXPECT_EQ(file.size, 5u);
  EXPECT_FALSE(file.error);
}

TEST(CandidateAt, MissingFileIsACandidateWithItsError) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      candidate_at(folder / "gone.so").error,
      Optional(is_reason(Code::kUnreadable, folder / "gone.so", "a readable file", "No such file or directory")));
}

TEST(CandidateAt, RecordsIdentityModeAndOwner) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.so", "x");
  ASSERT_EQ(::chmod(path.c_str(), 0646), 0);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  const rules::CandidateFile file = candidate_at(path);
  EXPECT_EQ(file.device, status.st_dev);
  EXPECT_EQ(file.inode, status.st_ino);
  EXPECT_EQ(file.mode & 07777, 0646u);
  EXPECT_EQ(file.owner, ::geteuid());
  EXPECT_EQ(file.mtime_ns, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
}

TEST(CandidateAt, NoexecMountIsToldWithItsPlace) {
  // procfs is mounted noexec wherever there is an init that is careful; elsewhere there is nothing to see.
  const rules::CandidateFile file = candidate_at("/proc/self/status");
  if (!file.noexec) GTEST_SKIP() << "no noexec mount at /proc on this machine";
  EXPECT_EQ(file.mount_point, "/proc");
}

}  // namespace
}  // namespace myops::system
