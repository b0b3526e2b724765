// Writing a manifest into its note and a file into its place.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "loader/system/stamp_note.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

elf::ElfFacts facts_with_note(std::uint64_t offset, std::uint64_t capacity) {
  elf::ElfFacts facts;
  facts.manifest = "";
  facts.manifest_offset = offset;
  facts.manifest_capacity = capacity;
  return facts;
}

TEST(WriteNote, ReplacesTheDescriptorAndNothingElse) {
  auto content = bytes_of("head" + std::string(6, '#') + "tail");
  ASSERT_TRUE(write_note(content, facts_with_note(4, 6), "{}", "p.so"));
  EXPECT_EQ(content, bytes_of("head{}" + std::string(4, '\0') + "tail"));
}

TEST(WriteNote, KeepsOneZeroAtTheEnd) {
  auto content = bytes_of(std::string(6, '#'));
  ASSERT_TRUE(write_note(content, facts_with_note(0, 6), "12345", "p.so"));
  EXPECT_EQ(content, bytes_of(std::string("12345\0", 6)));
}

TEST(WriteNote, RefusesATextThatDoesNotFitAndNamesTheKnob) {
  auto content = bytes_of(std::string(6, '#'));
  const auto written = write_note(content, facts_with_note(0, 6), "123456", "p.so");
  ASSERT_TRUE(written.has_error());
  EXPECT_EQ(written.error().code, Code::kBadOption);
  EXPECT_EQ(written.error().subject, "p.so");
  EXPECT_EQ(written.error().expected, "7 bytes for the manifest");
  EXPECT_EQ(written.error().found, "6 bytes reserved");
  EXPECT_THAT(written.error().hint, testing::HasSubstr("RESERVE"));
  EXPECT_EQ(content, bytes_of(std::string(6, '#')));
}

TEST(WriteNote, RefusesAFileWithoutANote) {
  auto content = bytes_of("head");
  const auto written = write_note(content, elf::ElfFacts{}, "{}", "p.so");
  ASSERT_TRUE(written.has_error());
  EXPECT_EQ(written.error().code, Code::kForeign);
  EXPECT_EQ(written.error().found, "no such note");
}

TEST(WriteNote, TrustsNoOffsetBeyondTheContent) {
  for (const auto& facts :
       {facts_with_note(5, 3), facts_with_note(2, 3), facts_with_note(~0ULL, 8), facts_with_note(1, ~0ULL)}) {
    auto content = bytes_of("head");
    const auto written = write_note(content, facts, "{}", "p.so");
    ASSERT_TRUE(written.has_error());
    EXPECT_EQ(content, bytes_of("head"));
  }
}

class ReplaceFile : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "myops-note-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text, mode_t mode) {
    const auto path = (folder_ / name).string();
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(ReplaceFile, TakesContentAndPermissions) {
  const auto model = write("model.so", "old", 0751);
  const auto path = (folder_ / "new.so").string();
  ASSERT_TRUE(replace_file(path, bytes_of("new"), model));
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0751));
  EXPECT_EQ(read(model), "old");
  EXPECT_EQ(files(), 2U);
}

TEST_F(ReplaceFile, LeavesOpenedOldContentAlone) {
  const auto path = write("p.so", "old", 0644);
  std::ifstream opened(path);
  ASSERT_TRUE(replace_file(path, bytes_of("new content"), path));
  EXPECT_EQ(read(path), "new content");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(opened), {}), "old");
}

TEST_F(ReplaceFile, SaysWhyItCannotAndLeavesNothingBehind) {
  const auto model = write("model.so", "old", 0644);
  const auto nowhere = replace_file((folder_ / "no" / "p.so").string(), bytes_of("new"), model);
  ASSERT_TRUE(nowhere.has_error());
  EXPECT_EQ(nowhere.error().code, Code::kBadOption);
  EXPECT_EQ(nowhere.error().subject, (folder_ / "no" / "p.so").string());
  EXPECT_EQ(nowhere.error().found, "No such file or directory");
  fs::create_directory(folder_ / "taken");
  const auto taken = replace_file((folder_ / "taken").string(), bytes_of("new"), model);
  ASSERT_TRUE(taken.has_error());
  EXPECT_EQ(taken.error().found, "Is a directory");
  EXPECT_EQ(files(), 2U);
}

TEST_F(ReplaceFile, LeavesDevicesAndPipesAlone) {
  const auto model = write("model.so", "old", 0644);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto placed = replace_file(pipe, bytes_of("new"), model);
  ASSERT_TRUE(placed.has_error());
  EXPECT_EQ(placed.error().code, Code::kBadOption);
  EXPECT_EQ(placed.error().found, "a device, pipe or socket");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace myops::system
