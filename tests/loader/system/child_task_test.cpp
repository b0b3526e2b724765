// The parent's side with shell scripts for children, and the child's side with this program.
#include "loader/system/child_task.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdio>

#include "loader/system/file_bytes.h"
#include "tests/loader/system/memory_limit.h"
#include "tests/loader/system/temporary_folder.h"
#include "tests/support/json.h"

namespace myops::system {
namespace {

using myops::testing::as_json;
using ::testing::AllOf;
using ::testing::HasSubstr;

// sh -c SCRIPT sh TASK OPTIONS
Answer ask(const std::string& script, int seconds = 30, const std::string& text = "{}") {
  Options options;
  options.helper = {"/bin/sh", "-c", script, "sh"};
  options.timeout = std::chrono::seconds(seconds);
  const auto answer = in_child("load", text, options);
  if (!answer) throw std::runtime_error(to_text(answer.error()));
  return *answer;
}

TEST(InChild, GivesTheChildsAnswerAndStatus) {
  const Answer answer = ask("echo 'opening /a'; echo '{\"text\": \"done\"}'; echo noise >&2; exit 1");
  EXPECT_EQ(answer.status, kCannotLoad);
  EXPECT_EQ(as_json(answer.json)["text"], "done");
  EXPECT_EQ(ask("echo '{}'").status, kFine);
}

TEST(InChild, PassesTaskAndOptionsAndHasTheChildOpenTorch) {
  const Answer answer = ask("printf '{\"task\": \"%s\", \"options\": %s}' \"$1\" \"$2\"", 30,
                            R"({"require": ["CPU"], "helper": ["x"], "timeout": 3})");
  EXPECT_EQ(as_json(answer.json)["task"], "load");
  EXPECT_EQ(as_json(answer.json)["options"].dump(), R"({"require":["CPU"],"open_torch":true})");
}

TEST(InChild, DeathIsAnAnswerThatNamesTheFileAndTheSignal) {
  const Answer answer = ask("echo 'opening /a.so'; echo 'opening /b.so'; echo 'what():  it broke' >&2; kill -ABRT $$");
  EXPECT_EQ(answer.status, kCannotLoad);
  EXPECT_EQ(as_json(answer.json)["error"]["code"], "open-failed");
  EXPECT_EQ(as_json(answer.json)["error"]["subject"], "/b.so");
  EXPECT_THAT(as_json(answer.json)["error"]["found"].get<std::string>(),
              AllOf(HasSubstr("signal 6"), HasSubstr("it broke")));
}

TEST(InChild, DeathIsTheReportOfTheLoad) {
  const testing::TemporaryFolder folder;
  Options options;
  options.helper = {"/bin/sh", "-c", "echo 'opening /a.so'; kill -SEGV $$", "sh"};
  options.report_file = folder / "report.json";
  ASSERT_TRUE(in_child("load", "{}", options));
  EXPECT_EQ(nlohmann::json::parse(read_text(options.report_file))["error"]["subject"], "/a.so");
}

TEST(InChild, DeathAfterTheAnswerStillCounts) {
  const Answer answer = ask("echo 'opening /a.so'; echo '{\"text\": \"done\"}'; kill -SEGV $$");
  EXPECT_EQ(answer.status, kCannotLoad);
  EXPECT_EQ(as_json(answer.json)["error"]["subject"], "/a.so");
  EXPECT_THAT(as_json(answer.json)["error"]["found"].get<std::string>(), HasSubstr("signal 11"));
}

TEST(InChild, ChildThatDoesNotEndIsKilled) {
  const Answer answer = ask("echo 'opening /a.so'; exec sleep 600", 1);
  EXPECT_EQ(answer.status, kCannotLoad);
  EXPECT_EQ(as_json(answer.json)["error"]["subject"], "/a.so");
  EXPECT_THAT(as_json(answer.json)["error"]["found"].get<std::string>(), HasSubstr("time limit"));
}

TEST(InChild, ChildWithoutAnAnswerIsToldSo) {
  const Answer answer = ask("exit 0");
  EXPECT_EQ(answer.status, kCannotLoad);
  EXPECT_EQ(as_json(answer.json)["error"]["found"], "the child process gave none");
  EXPECT_THAT(as_json(answer.json)["error"]["hint"].get<std::string>(), HasSubstr("--disable"));
  EXPECT_EQ(as_json(ask("exit 77").json)["error"]["code"], "open-failed");
}

// Nobody keeps the end of a child then; it is inherited, and some supervisors leave it so.
TEST(InChild, AnswersWithoutAKnownEndAreTakenAtTheirWord) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(ask("echo '{\"succeeded\": true}'").status, kFine);
  EXPECT_EQ(ask("echo '{\"succeeded\": false}'; exit 1").status, kCannotLoad);
  EXPECT_EQ(ask("echo '{\"error\": {\"code\": \"torch-not-found\"}}'; exit 1").status, kCannotLoad);
  EXPECT_EQ(ask("echo '{\"error\": {\"code\": \"bad-option\"}}'; exit 2").status, kWrongOptions);
  const Answer died = ask("echo 'opening /a.so'; kill -SEGV $$");
  EXPECT_EQ(died.status, kCannotLoad);
  EXPECT_EQ(as_json(died.json)["error"]["subject"], "/a.so");
  EXPECT_EQ(as_json(died.json)["error"]["found"], "the child process gave none");
  std::signal(SIGCHLD, before);
}

TEST(InChild, NeedsACommand) {
  const auto answer = in_child("load", "{}", Options{});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kBadOption);
  EXPECT_EQ(answer.error().subject, "helper");
}

TEST(InChild, CommandThatIsNotThereIsAnAnswer) {
  Options options;
  options.helper = {"/no/such/program"};
  const auto answer = in_child("load", "{}", options);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, kCannotLoad);
  EXPECT_EQ(as_json(answer->json)["error"]["code"], "open-failed");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(RunTask, WhatIsThrownIsTheAnswer) {
  const testing::TemporaryFolder folder;
  ASSERT_NE(std::freopen((folder / "out").c_str(), "w", stdout), nullptr);
  const std::string argument = R"({"torch": ")" + std::string((std::size_t{1} << 20) - 100, 'x') + R"("})";
  {
    const testing::MemoryLimit limit(std::size_t{1} << 16);
    EXPECT_EQ(run_task("load", argument), kCannotLoad);
  }
  const auto answer = nlohmann::json::parse(read_text(folder / "out"));
  EXPECT_EQ(answer["error"]["code"], "internal-error");
  EXPECT_EQ(answer["error"]["found"], "std::bad_alloc");
}
#endif

TEST(RunTask, UnknownTaskAndWrongOptionsAreWrongOptions) {
  EXPECT_EQ(run_task("load", "nonsense"), kWrongOptions);
  EXPECT_EQ(run_task("dance", R"({"torch": "/no/such/torch"})"), kWrongOptions);
}

}  // namespace
}  // namespace myops::system
