#include "loader/system/log.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/loader/system/scoped_variable.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::ScopedVariable;

using Lines = std::vector<std::pair<std::string, std::string>>;

void keep(const char* level, const char* line, void* user) { static_cast<Lines*>(user)->emplace_back(level, line); }

TEST(Log, CallbackGetsEveryLineWithItsLevel) {
  Lines lines;
  set_log(&keep, &lines);
  log(LogLevel::kWarn, "one\n\ntwo\n");
  log(LogLevel::kDebug, "three");
  set_log(nullptr, nullptr);
  log(LogLevel::kError, "nobody listens");
  EXPECT_THAT(lines, ElementsAre(Pair("warn", "one"), Pair("warn", "two"), Pair("debug", "three")));
}

TEST(Log, ExceptionOfACallbackEndsThere) {
  set_log([](const char*, const char* line, void*) { throw std::runtime_error(line); }, nullptr);
  EXPECT_NO_THROW(log(LogLevel::kWarn, "one\ntwo"));
  set_log(nullptr, nullptr);
}

TEST(Log, ControlCharactersDoNotReachATerminal) {
  Lines lines;
  set_log(&keep, &lines);
  log(LogLevel::kWarn, "lib\x1b[2J.so\n\xff");
  set_log(nullptr, nullptr);
  EXPECT_THAT(lines, ElementsAre(Pair("warn", "lib\\x1b[2J.so"), Pair("warn", "\\xff")));
}

std::string on_stderr(const std::optional<std::string>& wanted) {
  const ScopedVariable variable("MYOPS_LOG", wanted);
  ::testing::internal::CaptureStderr();
  log(LogLevel::kError, "error");
  log(LogLevel::kWarn, "warning");
  log(LogLevel::kInfo, "plan");
  log(LogLevel::kDebug, "detail");
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, StderrIsSilentUnlessAsked) {
  EXPECT_EQ(on_stderr(std::nullopt), "");
  EXPECT_EQ(on_stderr(""), "");
}

TEST(Log, VariableChoosesHowMuchGoesToStderr) {
  EXPECT_EQ(on_stderr("error"), "myops: error\n");
  EXPECT_EQ(on_stderr("warn"), "myops: error\nmyops: warning\n");
  EXPECT_EQ(on_stderr("plan"), "myops: error\nmyops: warning\nmyops: plan\n");
}

TEST(Log, UnknownWordMeansWarningsAndOffMeansNothing) {
  EXPECT_EQ(on_stderr("verbose"), "myops: error\nmyops: warning\n");
  EXPECT_EQ(on_stderr("off"), "");
  EXPECT_EQ(on_stderr("0"), "");
}

TEST(Log, CallbackMayLogItself) {
  static Lines lines;
  set_log(
      [](const char* level, const char* line, void*) {
        lines.emplace_back(level, line);
        if (lines.size() == 1) log(LogLevel::kInfo, "from the callback");
      },
      nullptr);
  log(LogLevel::kWarn, "first");
  set_log(nullptr, nullptr);
  EXPECT_THAT(lines, ElementsAre(Pair("warn", "first"), Pair("info", "from the callback")));
}

}  // namespace
}  // namespace myops::system
