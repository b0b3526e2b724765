// Every input that was kept, once again: starting points, and what a fuzzer has found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace myops::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// In memory of its very size, so that a sanitizer sees the first byte beyond.
void run_exactly(const Target& target, std::string_view bytes) {
  const std::unique_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  run(target, {copy.get(), bytes.size()});
}

class Replay : public ::testing::TestWithParam<Target> {};

// A fault ends this process, after the name of the input.
TEST_P(Replay, TakesEveryKeptInput) {
  const std::vector<fs::path> inputs = entries(fs::path(MYOPS_CORPUS) / GetParam().name);
  ASSERT_FALSE(inputs.empty());
  for (const fs::path& path : inputs) {
    std::printf("%s\n", path.filename().c_str());
    const std::string bytes = content(path);
    run(GetParam(), std::as_bytes(std::span(bytes)));
  }
}

// Cut short, and with a byte changed, in up to 512 places each.
TEST_P(Replay, TakesThemCutAndChanged) {
  constexpr std::size_t kMostBytes = 1 << 16, kMostSteps = 512;
  for (const fs::path& path : entries(fs::path(MYOPS_CORPUS) / GetParam().name)) {
    std::string bytes = content(path);
    if (bytes.empty() || bytes.size() > kMostBytes) continue;
    std::printf("%s\n", path.filename().c_str());
    const std::size_t step = bytes.size() / kMostSteps + 1;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      run_exactly(GetParam(), std::string_view(bytes).substr(0, at));
      bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
      run_exactly(GetParam(), bytes);
      bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FuzzCorpus, HasAFolderForEachTargetAndNoOther) {
  std::vector<std::string> folders, names;
  for (const fs::path& path : entries(MYOPS_CORPUS)) folders.push_back(path.filename());
  for (const Target& target : targets()) names.emplace_back(target.name);
  EXPECT_THAT(folders, ::testing::UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace myops::fuzz
