#include "loader/system/report_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "loader/system/file_bytes.h"
#include "loader/system/log.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

TEST(WriteReport, ReplacesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", std::string(1'000, 'x'));
  Answer answer;
  answer.json["format"] = 1;
  write_report(path, answer);
  EXPECT_EQ(read_text(path), "{\"format\":1}\n");
}

TEST(WriteReport, FailureIsALineInTheLog) {
  std::vector<std::string> lines;
  set_log([](const char* level, const char* line,
             void* user) { static_cast<std::vector<std::string>*>(user)->push_back(std::string(level) + " " + line); },
          &lines);
  write_report("/no/such/folder/report.json", Answer{});
  write_report("/dev/full", Answer{});
  write_report("/no/\x1b[2J\n", Answer{});
  const TemporaryFolder folder;
  const std::string unread_pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(unread_pipe.c_str(), 0600), 0);
  write_report(unread_pipe, Answer{});
  set_log(nullptr, nullptr);
  EXPECT_THAT(
      lines,
      ElementsAre(
          HasSubstr("error MYOPS_REPORT=/no/such/folder/report.json cannot be written: No such file or directory"),
          HasSubstr("error MYOPS_REPORT=/dev/full cannot be written: No space left on device"),
          HasSubstr("error MYOPS_REPORT=/no/\\x1b[2J\\x0a cannot be written: No such file or directory"),
          HasSubstr("/pipe cannot be written: No such device or address")));
}

}  // namespace
}  // namespace myops::system
