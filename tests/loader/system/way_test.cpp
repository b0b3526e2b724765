#include "loader/system/way.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::IsEmpty;
using testing::TemporaryFolder;

std::vector<std::string> paths_of(const Walked& walked) {
  std::vector<std::string> paths;
  for (const auto& folder : *walked.way) paths.push_back(folder.path);
  return paths;
}

TEST(Ways, LeadFromTheRootDown) {
  EXPECT_EQ(paths_of(Ways().into("/")), std::vector<std::string>{"/"});
  const TemporaryFolder folder;
  const std::string deep = folder.make_folder("below/deep");
  Ways ways;
  auto expected = paths_of(ways.into(folder.path()));
  EXPECT_EQ(expected.front(), "/");
  EXPECT_EQ(expected.back(), folder.path());
  expected.push_back(folder / "below");
  EXPECT_EQ(paths_of(ways.to(deep)), expected);
  expected.push_back(deep);
  EXPECT_EQ(paths_of(ways.into(deep)), expected);
  EXPECT_EQ(paths_of(ways.into(folder / "below/../below/./deep/")), expected);
}

TEST(Ways, EndAtTheRealPath) {
  const TemporaryFolder folder;
  folder.make_folder("real");
  const std::string file = folder.write("real/lib.so", "");
  folder.link("real", "other");
  const std::string link = folder.link("../other/./lib.so", "real/link.so");
  Ways ways;
  EXPECT_EQ(ways.to(link).real_path, std::filesystem::canonical(file).string());
  EXPECT_EQ(ways.into(folder / "other/../other/").real_path, std::filesystem::canonical(folder / "real").string());
  EXPECT_EQ(ways.into("/").real_path, "/");
}

TEST(Ways, HaveModeAndOwner) {
  const TemporaryFolder folder;
  const std::string shared = folder.make_folder("shared");
  ASSERT_EQ(::chmod(shared.c_str(), 02775), 0);
  const Way way = Ways().into(shared).way;
  EXPECT_EQ(way->back().mode, static_cast<std::uint32_t>(S_IFDIR | 02775));
  EXPECT_EQ(way->back().owner, ::geteuid());
}

// Whoever can write a folder in the middle of a chain of links decides where the chain ends.
TEST(Ways, GoThroughTheFoldersOfAllLinks) {
  const TemporaryFolder folder;
  folder.make_folder("plugins");
  folder.make_folder("open");
  const std::string good = folder.make_folder("good");
  folder.write("good/lib.so", "");
  folder.link("../good/lib.so", "open/current");
  const std::string file = folder.link("../open/current", "plugins/lib.so");
  Ways ways;
  auto expected = paths_of(ways.into(folder.path()));
  for (const char* name : {"plugins", "open", "good"}) expected.push_back(folder / name);
  EXPECT_EQ(paths_of(ways.to(file)), expected);
  const std::string absolute = folder.link(good, "absolute");
  expected = paths_of(ways.into(folder.path()));
  expected.push_back(good);
  EXPECT_EQ(paths_of(ways.into(absolute)), expected);
}

TEST(Ways, EndWhereLinksDoNot) {
  const TemporaryFolder folder;
  folder.link("two", "one");
  const std::string loop = folder.link("one", "two");
  EXPECT_EQ(paths_of(Ways().to(loop)), paths_of(Ways().into(folder.path())));
}

TEST(Ways, LeaveOutWhatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(paths_of(Ways().to(folder / "gone/deep")), paths_of(Ways().into(folder.path())));
  EXPECT_THAT(*Ways().to("").way, IsEmpty());
}

}  // namespace
}  // namespace myops::system
