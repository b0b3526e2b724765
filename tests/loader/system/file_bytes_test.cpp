#include "loader/system/file_bytes.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using testing::is_reason;
using testing::TemporaryFolder;

std::string read_string(const FileBytes& bytes, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  if (!bytes.read(offset, std::as_writable_bytes(std::span(text)))) return "<no>";
  return text;
}

Reason why_not(const std::string& path) {
  const auto bytes = FileBytes::open(path);
  if (bytes) throw std::runtime_error(path + " was opened");
  return bytes.error();
}

TEST(FileBytes, ReadsWithinTheFileAndNotBeyond) {
  const TemporaryFolder folder;
  const auto bytes = FileBytes::open(folder.write("file", "0123456789"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ((*bytes)->size(), 10u);
  EXPECT_EQ(read_string(**bytes, 0, 10), "0123456789");
  EXPECT_EQ(read_string(**bytes, 7, 3), "789");
  EXPECT_EQ(read_string(**bytes, 10, 0), "");
  EXPECT_EQ(read_string(**bytes, 8, 3), "<no>");
  EXPECT_EQ(read_string(**bytes, 11, 0), "<no>");
  EXPECT_EQ(read_string(**bytes, ~std::uint64_t{0}, 1), "<no>");
}

TEST(FileBytes, ReadsLargePiecesWhole) {
  const TemporaryFolder folder;
  std::string content(1'000'000, 'a');
  content[999'999] = 'b';
  const auto bytes = FileBytes::open(folder.write("file", content));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(read_string(**bytes, 0, 1'000'000), content);
  EXPECT_EQ(read_string(**bytes, 999'998, 2), "ab");
}

TEST(FileBytes, ReadsAheadAsMuchAsThereIsAndMoreLater) {
  const TemporaryFolder folder;
  std::string content(100'000, 'a');
  content[70'000] = 'b';
  const std::string path = folder.write("file", content);
  const auto bytes = FileBytes::open(path);
  ASSERT_TRUE(bytes);
  std::vector<std::byte> buffer;
  EXPECT_TRUE((*bytes)->in_memory().empty());
  (*bytes)->read_ahead(1000, buffer);
  EXPECT_EQ((*bytes)->in_memory().size(), 1000u);
  EXPECT_EQ(read_string(**bytes, 0, content.size()), content);
  (*bytes)->read_ahead(200'000, buffer);
  EXPECT_EQ((*bytes)->in_memory().size(), content.size());
  EXPECT_EQ(read_string(**bytes, 69'999, 3), "aba");
  EXPECT_EQ(read_string(**bytes, content.size() - 1, 2), "<no>");
}

TEST(FileBytes, ReadsAheadNothingOfAFileThatWasCut) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", std::string(100'000, 'x'));
  const auto bytes = FileBytes::open(path);
  ASSERT_TRUE(bytes);
  std::vector<std::byte> buffer;
  (*bytes)->read_ahead(1000, buffer);
  std::filesystem::resize_file(path, 500);
  (*bytes)->read_ahead(50'000, buffer);
  EXPECT_EQ((*bytes)->in_memory().size(), 1000u);
  EXPECT_EQ(read_string(**bytes, 0, 1000), std::string(1000, 'x'));
  EXPECT_EQ(read_string(**bytes, 900, 200), "<no>");
}

TEST(FileBytes, FileThatShrinksFailsToReadAndDoesNotCrash) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", std::string(100'000, 'x'));
  const auto bytes = FileBytes::open(path);
  ASSERT_TRUE(bytes);
  ASSERT_EQ(::truncate(path.c_str(), 5), 0);
  EXPECT_EQ(read_string(**bytes, 50'000, 10), "<no>");
  EXPECT_EQ(read_string(**bytes, 0, 5), "xxxxx");
}

TEST(FileBytes, MissingFileGivesItsErrno) {
  const TemporaryFolder folder;
  EXPECT_THAT(why_not(folder / "gone"),
              is_reason(Code::kUnreadable, folder / "gone", "a readable file", "No such file or directory"));
  EXPECT_THAT(why_not(folder.link("gone", "dangling")).found, "No such file or directory");
  EXPECT_THAT(why_not(folder.write("file", "") + "/x").found, "Not a directory");
}

TEST(FileBytes, FolderFifoSocketAndDeviceAreNoFiles) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string socket_path = folder / "socket";
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

  EXPECT_THAT(why_not(folder.path()), is_reason(Code::kNotALibrary, folder.path(), "an ELF shared object", "a folder"));
  EXPECT_THAT(why_not(fifo), is_reason(Code::kNotALibrary, fifo, "an ELF shared object", "a FIFO"));
  EXPECT_THAT(why_not(socket_path), is_reason(Code::kNotALibrary, socket_path, "an ELF shared object", "a socket"));
  EXPECT_THAT(why_not("/dev/zero"), is_reason(Code::kNotALibrary, "/dev/zero", "an ELF shared object", "a device"));
  ::close(descriptor);
}

TEST(FileBytes, FileThatMayNotBeReadGivesItsErrno) {
  if (::geteuid() == 0) {
    // root reads everything: ask as somebody else, in a thread, since the kernel keeps user ids per thread.
    const TemporaryFolder folder;
    const std::string path = folder.write("file", "secret");
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
    Reason reason{Code::kForeign, "", "", "", ""};
    std::thread([&] {
      if (::setfsuid(65534) != 0) return;
      reason = why_not(path);
    }).join();
    EXPECT_THAT(reason, is_reason(Code::kUnreadable, path, "a readable file", "Permission denied"));
    return;
  }
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "secret");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_THAT(why_not(path), is_reason(Code::kUnreadable, path, "a readable file", "Permission denied"));
}

TEST(FileIdentity, ChangesWithContentAndReplacement) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "one");
  const FileIdentity before = (*FileBytes::open(path))->identity();
  EXPECT_EQ((*FileBytes::open(path))->identity(), before);
  std::filesystem::rename(folder.write("other", "one"), path);
  EXPECT_NE((*FileBytes::open(path))->identity(), before);
}

TEST(ReadText, ReadsProcfsWhichHasNoSize) {
  EXPECT_THAT(read_text("/proc/self/status"), ::testing::HasSubstr("Name:"));
  EXPECT_EQ(read_text("/proc/self/no-such-file"), "");
}

TEST(ReadText, StopsAtTheLimit) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_text(folder.write("file", std::string(10'000, 'x')), 5'000).size(), 5'000u);
}

}  // namespace
}  // namespace myops::system
