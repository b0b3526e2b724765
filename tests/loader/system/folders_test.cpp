#include "loader/system/folders.h"

#include <unistd.h>

#include <filesystem>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using testing::is_reason;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using testing::ScopedWorkingFolder;
using testing::TemporaryFolder;

std::vector<std::string> paths_of(const SearchPath& search) {
  std::vector<std::string> paths;
  for (const SearchEntry& entry : search.entries) paths.push_back(entry.path);
  return paths;
}

class SearchPathTest : public ::testing::Test {
 protected:
  const ScopedVariable plugin_path_{"MYOPS_PLUGIN_PATH", std::nullopt};
  const ScopedVariable system_path_{"MYOPS_SYSTEM_PLUGIN_PATH", std::nullopt};
};

TEST_F(SearchPathTest, IsCodeThenVariableThenDefaultsThenLate) {
  const ScopedVariable plugin_path("MYOPS_PLUGIN_PATH", "/c:/d");
  const SearchPath search = search_path({"/a", "/b"}, {"/late"});
  const std::string own = loader_folder();
  EXPECT_THAT(paths_of(search), ElementsAre("/a", "/b", "/c", "/d", own + "/plugins", own + "/myops/plugins", "/late"));
  EXPECT_THAT(search.notes, IsEmpty());
  EXPECT_EQ(search.entries[0].origin, "paths");
  EXPECT_EQ(search.entries[2].origin, "MYOPS_PLUGIN_PATH");
  EXPECT_EQ(search.entries[4].origin, "");
}

TEST_F(SearchPathTest, SystemPathReplacesTheDefaults) {
  const ScopedVariable system_path("MYOPS_SYSTEM_PLUGIN_PATH", "/system");
  EXPECT_THAT(paths_of(search_path({}, {})), ElementsAre("/system"));
}

TEST_F(SearchPathTest, EmptySystemPathSearchesNothing) {
  const ScopedVariable system_path("MYOPS_SYSTEM_PLUGIN_PATH", "");
  EXPECT_THAT(paths_of(search_path({}, {})), IsEmpty());
}

TEST_F(SearchPathTest, EmptyEntryIsNotedAndMeansNoFolder) {
  const ScopedVariable plugin_path("MYOPS_PLUGIN_PATH", "/a::/b");
  const ScopedVariable system_path("MYOPS_SYSTEM_PLUGIN_PATH", "");
  const SearchPath search = search_path({}, {});
  EXPECT_THAT(paths_of(search), ElementsAre("/a", "/b"));
  EXPECT_THAT(search.notes,
              ElementsAre(is_reason(Code::kUnreadable, "MYOPS_PLUGIN_PATH", "folders", "an empty entry")));
}

TEST_F(SearchPathTest, RelativeEntriesStartFromTheWorkingFolder) {
  const TemporaryFolder folder;
  const ScopedWorkingFolder here(folder.path());
  const ScopedVariable system_path("MYOPS_SYSTEM_PLUGIN_PATH", "");
  EXPECT_THAT(paths_of(search_path({"plugins/", "/p//"}, {})), ElementsAre(folder / "plugins", "/p"));
}

TEST_F(SearchPathTest, RemovedWorkingFolderCostsOnlyRelativeEntries) {
  auto folder = std::make_unique<TemporaryFolder>();
  const ScopedWorkingFolder here(folder->path());
  folder.reset();
  const ScopedVariable system_path("MYOPS_SYSTEM_PLUGIN_PATH", "");
  const SearchPath search = search_path({"plugins", "/absolute"}, {});
  EXPECT_THAT(paths_of(search), ElementsAre("/absolute"));
  EXPECT_THAT(search.notes,
              ElementsAre(is_reason(Code::kUnreadable, "plugins", "a folder", "No such file or directory")));
}

TEST(LoaderFolder, IsWhereThisCodeLies) {
  EXPECT_EQ(loader_folder(), std::filesystem::canonical("/proc/self/exe").parent_path().string());
}

}  // namespace
}  // namespace myops::system
