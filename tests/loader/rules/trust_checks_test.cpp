#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrustChecks : public ::testing::Test {
 protected:
  Verdict verdict() const { return samples::judged(evidence, request); }
  void lies_in(std::vector<FolderStatus> folders) {
    evidence.file.way = std::make_shared<const std::vector<FolderStatus>>(std::move(folders));
  }

  Evidence evidence = samples::evidence(samples::schema_manifest());
  Request request;
};

TEST_F(TrustChecks, RefusesAFileThatAnyoneCanWrite) {
  evidence.file.mode = 0100666;
  EXPECT_THAT(verdict().reasons,
              ElementsAre(IsReasonAbout("/p/libmyops_schema.so", Code::kWorldWritable, _, "mode 0666")));
  EXPECT_THAT(verdict().reasons[0].hint, "chmod o-w /p/libmyops_schema.so");
  EXPECT_EQ(verdict().loads, true);
}

TEST_F(TrustChecks, RefusesAFolderThatAnyoneCanWrite) {
  lies_in({{"/", 040755, 0}, {"/shared", 040777, 0}, {"/shared/deep", 040777, 0}});
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReasonAbout("/shared", Code::kWorldWritable, _, "mode 0777")))
      << "the first of them";
  EXPECT_EQ(verdict().reasons[0].hint, "chmod o-w /shared");
}

TEST_F(TrustChecks, TakesTheStickyBitForWhatItKeepsOut) {
  lies_in({{"/tmp", 041777, 0}});
  request.strict = true;
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

TEST_F(TrustChecks, RefusesWhatSomeoneElsePutIntoAStickyFolder) {
  request.user_id = 1000;
  lies_in({{"/", 040755, 0}, {"/p", 041777, 0}});
  evidence.file.owner = 1001;
  EXPECT_THAT(verdict().reasons,
              ElementsAre(IsReasonAbout("/p", Code::kWorldWritable, "user 1000 or root as its owner",
                                        "mode 01777, and in it /p/libmyops_schema.so of user 1001")));
  for (const std::uint32_t owner : {0u, 1000u}) {
    evidence.file.owner = owner;
    EXPECT_THAT(verdict().reasons, IsEmpty());
  }
}

TEST_F(TrustChecks, RefusesWhatLiesBelowAFolderThatSomeoneElsePutIntoAStickyOne) {
  request.user_id = 1000;
  evidence.file.real_path = "/tmp/plugins/libmyops_schema.so";
  lies_in({{"/", 040755, 0}, {"/tmp", 041777, 0}, {"/tmp/plugins", 040755, 1001}});
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReasonAbout("/tmp", Code::kWorldWritable, _,
                                                           "mode 01777, and in it /tmp/plugins of user 1001")));
  lies_in({{"/", 040755, 0}, {"/tmp", 041777, 0}, {"/tmp/plugins", 040755, 1000}});
  EXPECT_THAT(verdict().reasons, IsEmpty());
  evidence.file.owner = 1001;
  EXPECT_THAT(verdict().reasons, IsEmpty()) << "nobody else can put it there";
}

// Who can write the folder, or owns it, can put another file there: the file's own mode and owner say nothing then.
TEST_F(TrustChecks, LooksAtTheFoldersToWhereTrustIsStrict) {
  lies_in({{"/", 040755, 0}, {"/team", 042775, 0}, {"/team/of", 040755, 1001}, {"/team/of/mine", 040755, 1000}});
  request.user_id = 1000;
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, IsEmpty());
  request.strict = true;
  EXPECT_THAT(verdict().reasons,
              ElementsAre(IsReasonAbout("/team", Code::kUntrusted, "a folder without group write", "mode 0775"),
                          IsReasonAbout("/team/of", Code::kUntrusted, "user 1000 or root as its owner", "user 1001")));
  request.user_id.reset();
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReasonAbout("/team", Code::kUntrusted)));
}

TEST_F(TrustChecks, OnlyNotesGroupWriteUnlessStrict) {
  evidence.file.mode = 0100664;
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre("expected a file without group write, found mode 0664"));
  request.strict = true;
  EXPECT_THAT(verdict().reasons, ElementsAre(IsReasonAbout("/p/libmyops_schema.so", Code::kUntrusted,
                                                           "a file without group write", "mode 0664")));
  EXPECT_THAT(verdict().notes, IsEmpty());
}

TEST_F(TrustChecks, OnlyNotesAnotherOwnerUnlessStrict) {
  evidence.file.owner = 1001;
  request.user_id = 1000;
  EXPECT_THAT(verdict().reasons, IsEmpty());
  EXPECT_THAT(verdict().notes, ElementsAre(HasSubstr("user 1001")));
  request.strict = true;
  EXPECT_THAT(verdict().reasons,
              ElementsAre(IsReasonAbout(_, Code::kUntrusted, "user 1000 or root as its owner", "user 1001")));
}

TEST_F(TrustChecks, TrustsTheUsersOwnFilesAndRoots) {
  request.strict = true;
  request.user_id = 1000;
  for (const std::uint32_t owner : {0u, 1000u}) {
    evidence.file.owner = owner;
    EXPECT_THAT(verdict().reasons, IsEmpty());
  }
  evidence.file.owner = 1001;
  request.user_id.reset();
  EXPECT_THAT(verdict().reasons, IsEmpty()) << "owners are not looked at";
}

TEST_F(TrustChecks, SaysNothingOfAFileWhoseStatusIsNotKnown) {
  evidence.file.mode = 0;
  evidence.file.owner = 1001;
  request.user_id = 1000;
  request.strict = true;
  EXPECT_THAT(verdict().reasons, IsEmpty());
}

TEST_F(TrustChecks, SaysEverythingAtOnce) {
  evidence.file.mode = 0100777;
  lies_in({{"/shared", 040777, 0}});
  request.strict = true;
  EXPECT_THAT(verdict().reasons,
              ElementsAre(IsReasonAbout(_, Code::kWorldWritable), IsReasonAbout(_, Code::kWorldWritable),
                          IsReasonAbout(_, Code::kUntrusted)));
}

}  // namespace
}  // namespace myops::rules
