#include "loader/system/open.h"

#include <dlfcn.h>

#include <filesystem>

#include "loader/system/candidate.h"
#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::is_reason;
using ::testing::Not;
using ::testing::Optional;
using testing::TemporaryFolder;

TEST(OpenLibrary, RunsItsConstructorsAndKeepsIt) {
  ::unsetenv("MYOPS_TINY_WAS_OPENED");
  EXPECT_EQ(open_library(TINY_LIBRARY), std::nullopt);
  EXPECT_STREQ(::getenv("MYOPS_TINY_WAS_OPENED"), "yes");
  EXPECT_NE(::dlopen(TINY_LIBRARY, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(OpenLibrary, GivesTheLinkersOwnText) {
  EXPECT_THAT(open_library("/no/such/library.so"),
              Optional(is_reason(Code::kOpenFailed, "/no/such/library.so", "",
                                 "/no/such/library.so: cannot open shared object file: No such file or directory")));
}

TEST(OpenLibrary, BindsEverythingAtOnce) {
  const auto reason = open_library(NEEDING_LIBRARY);
  EXPECT_THAT(reason, Optional(is_reason(Code::kOpenFailed, NEEDING_LIBRARY, "",
                                         AllOf(HasSubstr("undefined symbol: myops_function_that_is_nowhere"),
                                               Not(HasSubstr("boost"))))));
}

TEST(OpenLibrary, RefusesWhatIsNoLibrary) {
  const TemporaryFolder folder;
  const std::string path = folder.write("libx.so", "text");
  EXPECT_THAT(open_library(path), Optional(is_reason(Code::kOpenFailed, path, "", HasSubstr("file too short"))));
}

// Three files, looked at before one was written to, one replaced and one removed.
struct Changes {
  TemporaryFolder folder;
  rules::CandidateFile written = candidate_at(folder.write("libwritten.so", "x"));
  rules::CandidateFile replaced = candidate_at(folder.write("libreplaced.so", "x"));
  rules::CandidateFile removed = candidate_at(folder.write("libremoved.so", "x"));

  Changes() {
    folder.write("libwritten.so", "longer");
    std::filesystem::rename(folder.write("other", "x"), replaced.path);
    std::filesystem::remove(removed.path);
  }
};

TEST(ChangedSince, SameFileIsFine) {
  const TemporaryFolder folder;
  EXPECT_EQ(changed_since(candidate_at(folder.write("libx.so", "x"))), std::nullopt);
}

TEST(ChangedSince, WrittenReplacedAndRemovedFilesAreTold) {
  const Changes changes;
  const auto& [folder, written, replaced, removed] = changes;
  EXPECT_THAT(changed_since(written), Optional(is_reason(Code::kChangedWhileLoading, written.path,
                                                         HasSubstr(", 1 bytes"), HasSubstr(", 6 bytes"))));
  EXPECT_THAT(changed_since(replaced), Optional(is_reason(Code::kChangedWhileLoading, replaced.path,
                                                          HasSubstr("inode " + std::to_string(replaced.inode)), _)));
  EXPECT_THAT(changed_since(removed),
              Optional(is_reason(Code::kChangedWhileLoading, removed.path, _, "No such file or directory")));
}

TEST(ChangedSince, TimeThatWasSetBackHidesNothing) {
  const TemporaryFolder folder;
  const auto judged = candidate_at(folder.write("libx.so", "one"));
  const auto time = std::filesystem::last_write_time(judged.path);
  folder.write("libx.so", "two");
  std::filesystem::last_write_time(judged.path, time);
  EXPECT_THAT(changed_since(judged), Optional(is_reason(Code::kChangedWhileLoading, judged.path, _, _)));
}

TEST(ReplacedSince, OnlyAnotherFileCounts) {
  const Changes changes;
  const auto& [folder, written, replaced, removed] = changes;
  EXPECT_EQ(replaced_since(written), std::nullopt) << "what was opened is what lies there";
  EXPECT_THAT(replaced_since(replaced),
              Optional(is_reason(Code::kChangedWhileLoading, replaced.path,
                                 HasSubstr("inode " + std::to_string(replaced.inode)), HasSubstr("inode "))));
  EXPECT_THAT(replaced_since(removed),
              Optional(is_reason(Code::kChangedWhileLoading, removed.path, _, "No such file or directory")));
}

}  // namespace
}  // namespace myops::system
