// Child processes: what they wrote, how they ended, and the words for it.
#include "loader/system/probe.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <ctime>

namespace myops::system {
namespace {

using namespace std::chrono_literals;

ChildOutcome run(const std::string& script, std::chrono::milliseconds limit = 30s) {
  const auto outcome = run_child({"/bin/sh", "-c", script}, limit);
  EXPECT_TRUE(outcome.has_value());
  return outcome.value();
}

ChildOutcome ended_by(int signal, const std::string& errors = "") {
  ChildOutcome outcome;
  outcome.signal = signal;
  outcome.errors = errors;
  return outcome;
}

TEST(RunChild, KeepsOutputAndErrorsApart) {
  const auto outcome = run("echo out; echo err >&2; exit 3");
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(RunChild, PassesArgumentsAsTheyAre) {
  const auto outcome = run_child({"/bin/echo", "a b", "$HOME", "*"}, 30s);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->output, "a b $HOME *\n");
}

TEST(RunChild, GivesAnEmptyStandardInput) { EXPECT_EQ(run("cat; echo end").output, "end\n"); }

TEST(RunChild, ReadsMoreThanAPipeHolds) {
  const auto outcome = run("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2");
  EXPECT_EQ(outcome.output.size(), 3'000'000U);
  EXPECT_EQ(outcome.errors.size(), 65'536U);
}

TEST(RunChild, SleepsWhileAChildThatClosedItsPipesGoesOn) {
  const std::clock_t before = std::clock();
  run("exec >&- 2>&-; sleep 1");
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 4) << "processor time of this process";
}

TEST(RunChild, TellsTheSignal) {
  const auto outcome = run("kill -ABRT $$");
  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(RunChild, DoesNotTakeAnUnknownEndForAGoodOne) {
  EXPECT_TRUE(run("exit 3").end_known);
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto outcome = run("echo out; exit 3");
  EXPECT_FALSE(outcome.end_known);
  EXPECT_EQ(outcome.output, "out\n");
  const auto stopped = run("exec sleep 100", 300ms);
  std::signal(SIGCHLD, before);
  EXPECT_TRUE(stopped.timed_out);
  EXPECT_TRUE(failure_of(stopped, "p"));
}

TEST(RunChild, KillsAtTheLimitEvenOneThatFloods) {
  for (const std::string script : {"exec sleep 100", "exec yes"}) {
    const auto start = std::chrono::steady_clock::now();
    const auto outcome = run(script, 300ms);
    EXPECT_TRUE(outcome.timed_out) << script;
    EXPECT_EQ(outcome.signal, SIGKILL) << script;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s) << script;
  }
}

TEST(RunChild, DoesNotWaitForGrandchildrenThatHoldItsPipes) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = run("sleep 15 & echo done");
  EXPECT_EQ(outcome.output, "done\n");
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(RunChild, SaysWhyAProgramCannotBeStarted) {
  const auto outcome = run_child({"/no/such/program", "x"}, 1s);
  ASSERT_TRUE(outcome.has_error());
  EXPECT_EQ(outcome.error().code, Code::kOpenFailed);
  EXPECT_EQ(outcome.error().subject, "/no/such/program");
  EXPECT_EQ(outcome.error().found, "No such file or directory");
}

TEST(RunChild, TellsOptionsThatNoCommandLineHolds) {
  const auto outcome = run_child({"/bin/true", std::string(std::size_t{1} << 18, 'x')}, 1s);
  ASSERT_TRUE(outcome.has_error());
  EXPECT_EQ(outcome.error().found, "Argument list too long");
  EXPECT_THAT(outcome.error().hint, ::testing::HasSubstr("too long for a command line"));
}

TEST(FailureOf, IsNoneForAGoodEnd) {
  ChildOutcome outcome;
  outcome.errors = "a warning";
  EXPECT_FALSE(failure_of(outcome, "p.so"));
}

TEST(FailureOf, ShowsTheUncaughtExceptionWithoutItsBacktrace) {
  const auto failure = failure_of(ended_by(SIGABRT, R"(some warning
terminate called after throwing an instance of 'c10::Error'
  what():  Only a single TORCH_LIBRARY can be used
Previous registration: ./a.cpp:1
Exception raised from registerLibrary at Dispatcher.cpp:1 (most recent call first):
frame #0: c10::Error::Error
frame #1: another

)"),
                                  "p.so");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, Code::kOpenFailed);
  EXPECT_EQ(failure->subject, "p.so");
  EXPECT_EQ(failure->found,
            "killed by signal 6 (Aborted): Only a single TORCH_LIBRARY can be used\nPrevious registration: ./a.cpp:1");
}

TEST(FailureOf, ShowsTheLastLinesOtherwise) {
  ChildOutcome outcome;
  outcome.exit_code = 9;
  outcome.errors = "1\n2\n3\n\n4\n5\n6\n7\n";
  const auto failure = failure_of(outcome, "p.so");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->found, "exit code 9: 3\n4\n5\n6\n7");
}

TEST(FailureOf, SurvivesAnExceptionWithoutText) {
  EXPECT_EQ(failure_of(ended_by(SIGABRT, "  what():"), "p")->found, "killed by signal 6 (Aborted)");
  EXPECT_EQ(failure_of(ended_by(SIGABRT, "  what():  "), "p")->found, "killed by signal 6 (Aborted)");
}

TEST(FailureOf, NamesTimeLimitAndIllegalInstruction) {
  auto stopped = ended_by(SIGKILL);
  stopped.timed_out = true;
  EXPECT_EQ(failure_of(stopped, "p")->found, "killed at the time limit");
  const auto illegal = failure_of(ended_by(SIGILL), "p");
  EXPECT_EQ(illegal->found, "killed by signal 4 (Illegal instruction)");
  EXPECT_EQ(illegal->hint, "this machine's CPU lacks an instruction it uses when it is opened");
}

}  // namespace
}  // namespace myops::system
