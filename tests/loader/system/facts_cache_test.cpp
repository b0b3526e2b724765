#include "loader/system/facts_cache.h"

#include <filesystem>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using testing::is_reason;
using testing::TemporaryFolder;

TEST(FactsCache, ReadsAFileOnce) {
  FactsCache cache;
  const auto first = cache.read(TINY_LIBRARY, elf::Depth::kIdentity);
  const auto second = cache.read(TINY_LIBRARY, elf::Depth::kIdentity);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_TRUE((*first)->exports.empty());
}

TEST(FactsCache, EachDepthHasItsOwnFactsAndOnePointerForAllPaths) {
  const TemporaryFolder folder;
  const std::string link = folder.link(TINY_LIBRARY, "link.so");
  FactsCache cache;
  const auto symbols = cache.read(TINY_LIBRARY, elf::Depth::kSymbols);
  const auto identity = cache.read(TINY_LIBRARY, elf::Depth::kIdentity);
  ASSERT_TRUE(symbols && identity);
  EXPECT_FALSE((*symbols)->exports.empty());
  EXPECT_TRUE((*identity)->identity_only);
  EXPECT_EQ(*cache.read(link, elf::Depth::kSymbols), *symbols);
  EXPECT_EQ(*cache.read(link, elf::Depth::kIdentity), *identity);
}

TEST(FactsCache, SymbolsAreNotKeptLongerThanTheyAreHeld) {
  FactsCache cache;
  std::weak_ptr<const elf::ElfFacts> watched;
  {
    const auto symbols = cache.read(TINY_LIBRARY, elf::Depth::kSymbols);
    watched = *symbols;
  }
  EXPECT_TRUE(watched.expired());
}

TEST(FactsCache, ReplacedFileIsReadAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "libx.so";
  std::filesystem::copy_file(TINY_LIBRARY, path);
  FactsCache cache;
  const auto before = cache.read(path, elf::Depth::kIdentity);
  std::filesystem::rename(folder.write("other", "no ELF"), path);
  const auto after = cache.read(path, elf::Depth::kIdentity);
  ASSERT_TRUE(before);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, Code::kNotALibrary);
}

TEST(FactsCache, MissingFileGivesItsReason) {
  const auto facts = FactsCache().read("/no/such/library.so", elf::Depth::kIdentity);
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error(),
              is_reason(Code::kUnreadable, "/no/such/library.so", "a readable file", "No such file or directory"));
}

}  // namespace
}  // namespace myops::system
