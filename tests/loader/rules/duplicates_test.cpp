#include "loader/rules/duplicates.h"

#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using samples::usable;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Verdict same_inode(Verdict verdict, const std::string& path) {
  verdict.file.path = path;
  return verdict;
}

Verdict copy_of(const Verdict& verdict, const std::string& folder) {
  Verdict copy = verdict;
  copy.file.folder = folder;
  copy.file.path = copy.file.real_path = folder + "/copy.so";
  copy.file.inode += 1000;
  return copy;
}

// Cases 5, 6 and 38: one file through two links.
TEST(Duplicates, TakesAFileOnceHoweverOftenItIsSeen) {
  const Verdict first = usable(samples::schema_manifest());
  std::vector<Verdict> files = {first, same_inode(first, "/link/libmyops_schema.so")};
  set_duplicates_apart(files, {});
  EXPECT_EQ(files[0].kind, VerdictKind::kUsable);
  EXPECT_EQ(files[1].kind, VerdictKind::kSuperseded);
  EXPECT_THAT(files[1].reasons,
              ElementsAre(IsReasonAbout("myops_schema", Code::kDuplicate, "", "/p/libmyops_schema.so")));
}

// Case 38: a copy.
TEST(Duplicates, KnowsACopyByItsBuildIdAndManifest) {
  const Verdict first = usable(samples::schema_manifest());
  std::vector<Verdict> files = {first, copy_of(first, "/q")};
  set_duplicates_apart(files, {});
  EXPECT_EQ(files[1].kind, VerdictKind::kSuperseded);
  EXPECT_THAT(files[1].reasons,
              ElementsAre(IsReasonAbout("myops_schema", Code::kDuplicate, "", "/p/libmyops_schema.so")));
}

TEST(Duplicates, NeedsBothToBeTheSame) {
  const Verdict first = usable(samples::schema_manifest());
  Verdict other_build = copy_of(first, "/q"), other_manifest = copy_of(first, "/r"), no_build_id = copy_of(first, "/s");
  other_build.build_id = "other";
  other_manifest.manifest->release = "2";
  other_manifest.file.inode += 1;
  no_build_id.file.inode += 2;
  no_build_id.build_id = "";
  std::vector<Verdict> files = {first, other_build, other_manifest, no_build_id, no_build_id};
  files.back().file.inode += 1;
  set_duplicates_apart(files, {});
  for (const Verdict& file : files) EXPECT_EQ(file.kind, VerdictKind::kUsable) << file.file.path;
}

TEST(Duplicates, KeepsTheOneThatIsInTheProcess) {
  const Verdict first = usable(samples::schema_manifest());
  std::vector<Verdict> files = {first, copy_of(first, "/q")};
  set_duplicates_apart(files, {"/q/copy.so"});
  EXPECT_EQ(files[0].kind, VerdictKind::kSuperseded);
  EXPECT_THAT(files[0].reasons, ElementsAre(IsReasonAbout("myops_schema", Code::kDuplicate, "", "/q/copy.so")));
  EXPECT_EQ(files[1].kind, VerdictKind::kUsable);
}

TEST(Duplicates, OnlyNotesFilesThatAreNotTakenAnyway) {
  const Verdict foreign = samples::judged(samples::foreign_evidence("x"));
  std::vector<Verdict> files = {foreign, same_inode(foreign, "/link/libx.so")};
  set_duplicates_apart(files, {});
  EXPECT_EQ(files[1].kind, VerdictKind::kForeign);
  EXPECT_THAT(files[1].notes, ElementsAre("the same file as /p/libx.so"));
  EXPECT_THAT(files[0].notes, IsEmpty());
}

TEST(Duplicates, TellsFilesApartOfWhichNoInodeIsKnown) {
  Verdict one = samples::judged(samples::foreign_evidence("x")),
          other = samples::judged(samples::foreign_evidence("y"));
  one.file.inode = other.file.inode = 0;
  std::vector<Verdict> files = {one, other};
  set_duplicates_apart(files, {});
  EXPECT_THAT(files[1].notes, IsEmpty());
}

TEST(Duplicates, TakesAFileByAnotherPathThanTheOneThatIsRefused) {
  Verdict refused = usable(samples::schema_manifest());
  const Verdict good = same_inode(refused, "/link/libmyops_schema.so");
  refused.kind = VerdictKind::kRejected;
  std::vector<Verdict> files = {refused, good, same_inode(good, "/third/libmyops_schema.so")};
  set_duplicates_apart(files, {});
  EXPECT_EQ(files[1].kind, VerdictKind::kUsable);
  EXPECT_THAT(files[2].reasons,
              ElementsAre(IsReasonAbout("myops_schema", Code::kDuplicate, "", "/link/libmyops_schema.so")));
}

TEST(Duplicates, TakesACopyOfARefusedFile) {
  Verdict world_writable = usable(samples::schema_manifest());
  world_writable.kind = VerdictKind::kRejected;
  std::vector<Verdict> files = {world_writable, copy_of(usable(samples::schema_manifest()), "/q")};
  files[1].build_id = files[0].build_id;
  set_duplicates_apart(files, {});
  EXPECT_EQ(files[1].kind, VerdictKind::kUsable);
}

}  // namespace
}  // namespace myops::rules
