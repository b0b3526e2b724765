#include "loader/rules/lock.h"

#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kHash(64, 'a');

std::string text(const std::string& files) { return "{\"format\": 1, \"files\": " + files + "}"; }
std::string entry(const std::string& path, const std::string& hash) {
  return text("{\"" + path + "\": {\"sha256\": \"" + hash + "\"}}");
}

TEST(Lock, IsReadAsItWasWritten) {
  Lock lock;
  lock.files = {{"plugins/liba.so", {kHash, "0b"}}, {"../lib/b\xc3\xa4.so", {std::string(64, 'b'), ""}}};
  const auto read = parse_lock(to_json_text(lock));
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(to_json_text(*read), to_json_text(lock));
  EXPECT_EQ(read->files.at("plugins/liba.so").sha256, kHash);
  EXPECT_EQ(read->files.at("plugins/liba.so").build_id, "0b");
}

TEST(Lock, WhatIsWrongIsNamed) {
  const auto subject = [](const std::string& text) { return parse_lock(text).error().subject; };
  EXPECT_EQ(subject("[]"), "the lock file");
  EXPECT_EQ(subject("{"), "JSON");
  EXPECT_EQ(subject("{\"files\": {}}"), "format");
  EXPECT_EQ(subject("{\"format\": 2, \"files\": {}}"), "format");
  EXPECT_EQ(subject("{\"format\": 1}"), "files");
  EXPECT_EQ(subject(entry("a.so", "12")), "files.a.so.sha256");
  EXPECT_EQ(subject(entry("a.so", std::string(64, 'A'))), "files.a.so.sha256");
  EXPECT_EQ(parse_lock(entry("/a.so", kHash)).error().code, Code::kBadOption);
  EXPECT_EQ(parse_lock(text("{\"a.so\": 3}")).error().code, Code::kBadOption);
}

class LockChecks : public ::testing::Test {
 protected:
  Verdict verdict(const std::string& path, const std::string& hash) {
    auto lock = std::make_shared<Lock>();
    lock->path = "/etc/myops.lock";
    lock->files[path] = {hash, ""};
    Request request;
    request.lock = lock;
    return samples::judged(evidence, request);
  }
  Evidence evidence = samples::evidence(samples::schema_manifest());
};

TEST_F(LockChecks, TakeWhatIsListed) {
  evidence.sha256 = kHash;
  EXPECT_THAT(verdict("/p/libmyops_schema.so", kHash).reasons, IsEmpty());
}

TEST_F(LockChecks, RefuseWhatIsNot) {
  EXPECT_THAT(verdict("/p/libother.so", kHash).reasons,
              ElementsAre(IsReasonAbout("/p/libmyops_schema.so", Code::kNotInLock, "/etc/myops.lock", "")));
}

TEST_F(LockChecks, RefuseAnotherContent) {
  evidence.sha256 = std::string(64, 'b');
  EXPECT_THAT(verdict("/p/libmyops_schema.so", kHash).reasons,
              ElementsAre(IsReasonAbout("/p/libmyops_schema.so", Code::kHashMismatch, kHash, evidence.sha256)));
  evidence.sha256 = "";
  EXPECT_THAT(verdict("/p/libmyops_schema.so", kHash).reasons,
              ElementsAre(IsReasonAbout("/p/libmyops_schema.so", Code::kHashMismatch, kHash, "not read")));
}

}  // namespace
}  // namespace myops::rules
