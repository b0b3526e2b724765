#include "loader/system/way.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::IsEmpty;
using testing::TemporaryFolder;

std::vector<std::string> paths_of(const Way& way) {
  std::vector<std::string> paths;
  for (const auto& folder : *way) paths.push_back(folder.path);
  return paths;
}

TEST(Ways, LeadFromTheRootDown) {
  EXPECT_EQ(paths_of(Ways().to("/")), std::vector<std::string>{"/"});
  const TemporaryFolder folder;
  const std::string deep = folder.make_folder("below/deep");
  Ways ways;
  auto expected = paths_of(ways.to(folder.path()));
  EXPECT_EQ(expected.front(), "/");
  EXPECT_EQ(expected.back(), folder.path());
  expected.push_back(folder / "below");
  expected.push_back(deep);
  EXPECT_EQ(paths_of(ways.to(deep)), expected);
}

TEST(Ways, HaveModeAndOwner) {
  const TemporaryFolder folder;
  const std::string shared = folder.make_folder("shared");
  ASSERT_EQ(::chmod(shared.c_str(), 02775), 0);
  const Way way = Ways().to(shared);
  EXPECT_EQ(way->back().mode, static_cast<std::uint32_t>(S_IFDIR | 02775));
  EXPECT_EQ(way->back().owner, ::geteuid());
}

TEST(Ways, FollowLinks) {
  const TemporaryFolder folder;
  const std::string open = folder.make_folder("open");
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  const Way way = Ways().to(folder.link("open", "link"));
  EXPECT_EQ(way->back().path, folder / "link");
  EXPECT_EQ(way->back().mode & 07777, 0777u);
}

TEST(Ways, AreJoinedWithoutRepetition) {
  const TemporaryFolder folder;
  const std::string here = folder.make_folder("here");
  const std::string there = folder.make_folder("there/deep");
  Ways ways;
  auto expected = paths_of(ways.to(here));
  expected.push_back(folder / "there");
  expected.push_back(there);
  EXPECT_EQ(paths_of(ways.to_both(here, there)), expected);
  EXPECT_EQ(ways.to_both(here, here), ways.to(here)) << "no copy";
  EXPECT_EQ(ways.to_both(here, ""), ways.to(here));
}

TEST(Ways, LeaveOutWhatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(paths_of(Ways().to(folder / "gone/deep")), paths_of(Ways().to(folder.path())));
  EXPECT_THAT(*Ways().to(""), IsEmpty());
}

}  // namespace
}  // namespace myops::system
