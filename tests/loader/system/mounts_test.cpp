#include "loader/system/mounts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

constexpr const char* kMounts =
    "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /tmp rw,noexec - tmpfs tmpfs rw\n"
    "31 22 0:27 / /mnt/with\\040blank rw,noexec shared:1 - tmpfs tmpfs rw\n"
    "32 30 0:28 / /tmp/plugins rw - tmpfs tmpfs rw\n"
    "a line that makes no sense\n";

TEST(MountPoint, IsTheLongestThatHoldsThePath) {
  EXPECT_EQ(mount_point_in(kMounts, "/home/a.so"), "/");
  EXPECT_EQ(mount_point_in(kMounts, "/tmp/a.so"), "/tmp");
  EXPECT_EQ(mount_point_in(kMounts, "/tmp/plugins/a.so"), "/tmp/plugins");
  EXPECT_EQ(mount_point_in(kMounts, "/tmp/plugins-old/a.so"), "/tmp");
}

TEST(MountPoint, UnescapesBlanks) { EXPECT_EQ(mount_point_in(kMounts, "/mnt/with blank/a.so"), "/mnt/with blank"); }

TEST(MountPoint, IsEmptyWhereNothingIsKnown) { EXPECT_EQ(mount_point_in("", "/tmp/a.so"), ""); }

TEST(Noexec, IsWhatTheKernelListsForEachMount) {
  std::istringstream lines(read_text("/proc/self/mountinfo"));
  int seen = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, root, point, options;
    fields >> id >> parent >> device >> root >> point >> options;
    // Only the mount that is on top can be asked; and those whose name needs no unescaping.
    if (!std::filesystem::exists(point) || mount_point_in(read_text("/proc/self/mountinfo"), point) != point) continue;
    if (read_text("/proc/self/mountinfo").find(" " + point + " ") !=
        read_text("/proc/self/mountinfo").rfind(" " + point + " "))
      continue;
    ++seen;
    EXPECT_EQ(is_noexec(point), ("," + options + ",").find(",noexec,") != std::string::npos) << line;
  }
  EXPECT_GT(seen, 1);
}

}  // namespace
}  // namespace myops::system
