#include "loader/system/report_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "loader/system/file_bytes.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using testing::TemporaryFolder;

TEST(WriteReport, ReplacesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", std::string(1'000, 'x'));
  Answer answer;
  answer.json["format"] = 1;
  write_report(path, answer);
  EXPECT_EQ(read_text(path), "{\"format\":1}\n");
}

TEST(WriteReport, FailureIsToldInWords) {
  EXPECT_EQ(write_report("/no/such/folder/report.json", Answer{}),
            "MYOPS_REPORT=/no/such/folder/report.json cannot be written: No such file or directory");
  EXPECT_EQ(write_report("/dev/full", Answer{}), "MYOPS_REPORT=/dev/full cannot be written: No space left on device");
  const TemporaryFolder folder;
  EXPECT_THAT(write_report(folder.path(), Answer{}), Optional(HasSubstr(" cannot be written: Is a directory")));
  const std::string unread_pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(unread_pipe.c_str(), 0600), 0);
  EXPECT_THAT(write_report(unread_pipe, Answer{}), Optional(HasSubstr("/pipe cannot be written: No such device")));
}

TEST(WriteReport, KeepsModeAndLinksAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  folder.link("report.json", "link.json");
  EXPECT_EQ(write_report(path, Answer{}), std::nullopt);
  EXPECT_EQ(write_report(folder / "link.json", Answer{}), std::nullopt);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.json"));
  EXPECT_EQ(read_text(path), "{}\n");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

// A reader that opened the file before has the whole of the old report.
TEST(WriteReport, NobodyReadsHalfAReport) {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", "the old one");
  std::ifstream reader(path);
  EXPECT_EQ(write_report(path, Answer{}), std::nullopt);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "the old one");
}

TEST(WriteReport, ReaderThatWentAwayDoesNotEndTheProcess) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  Answer large;
  large.json["text"] = std::string(std::size_t{1} << 22, 'x');
  std::thread leaving([&] {
    std::string some(1'000, '\0');
    while (::read(reader, some.data(), some.size()) <= 0) std::this_thread::yield();
    ::close(reader);
  });
  EXPECT_THAT(write_report(pipe, large), Optional(HasSubstr("/pipe cannot be written: Broken pipe")));
  leaving.join();
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

}  // namespace
}  // namespace myops::system
