#include "loader/system/way.h"

#include <sys/stat.h>

#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using testing::TemporaryFolder;

TEST(Ways, FindsTheFirstFolderThatAnyoneCanWriteTo) {
  const TemporaryFolder folder;
  const std::string deep = folder.make_folder("open/below/deep");
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  ASSERT_EQ(::chmod((folder / "open/below").c_str(), 0777), 0);
  Ways ways;
  EXPECT_EQ(ways.world_writable(deep), folder / "open");
  EXPECT_EQ(ways.world_writable(folder / "open/below"), folder / "open");
  EXPECT_EQ(ways.world_writable(folder.path()), "");
}

TEST(Ways, StickyFoldersDoNotCount) {
  const TemporaryFolder folder;
  const std::string sticky = folder.make_folder("sticky");
  ASSERT_EQ(::chmod(sticky.c_str(), 01777), 0);
  EXPECT_EQ(Ways().world_writable(sticky), "");
}

TEST(Ways, FollowsLinksOnTheWay) {
  const TemporaryFolder folder;
  const std::string open = folder.make_folder("open");
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  const std::string link = folder.link("open", "link");
  EXPECT_EQ(Ways().world_writable(link), link);
}

TEST(Ways, RootAloneIsAsItIs) {
  struct stat status{};
  ASSERT_EQ(::stat("/", &status), 0);
  const bool is_open = (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
  EXPECT_EQ(Ways().world_writable("/"), is_open ? "/" : "");
}

}  // namespace
}  // namespace myops::system
