#include "loader/elf/export_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace myops::elf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Symbol> symbols(const std::vector<std::string>& names) {
  std::vector<Symbol> result;
  for (const std::string& name : names) {
    Symbol symbol;
    symbol.name = name;
    result.push_back(symbol);
  }
  return result;
}

TEST(ElfExportIndex, FindsEachNameAndNoOther) {
  std::vector<std::string> names;
  for (int i = 0; i < 10000; ++i) names.push_back("_ZN2at6native" + std::to_string(i) + "Ev");
  const ExportIndex index(symbols(names));
  EXPECT_EQ(index.size(), names.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) EXPECT_THAT(index.find(ExportIndex::hash(names[i])), ElementsAre(i));
  EXPECT_THAT(index.find(ExportIndex::hash("_ZN2at6nativeEv")), IsEmpty());
}

TEST(ElfExportIndex, OneNameInFileOrder) {
  const std::vector<std::string> names{"memcpy", "other", "memcpy", "memcpy"};
  const ExportIndex index(symbols(names));
  EXPECT_THAT(index.find(ExportIndex::hash("memcpy")), ElementsAre(0, 2, 3));
}

TEST(ElfExportIndex, Empty) {
  EXPECT_THAT(ExportIndex().find(ExportIndex::hash("memcpy")), IsEmpty());
  EXPECT_THAT(ExportIndex(std::span<const Symbol>()).find(0), IsEmpty());
}

TEST(ElfExportIndex, OneSymbol) {
  const std::vector<std::string> names{"only"};
  const ExportIndex index(symbols(names));
  EXPECT_THAT(index.find(ExportIndex::hash("only")), ElementsAre(0));
  EXPECT_THAT(index.find(~ExportIndex::hash("only")), IsEmpty());
}

TEST(ElfExportIndex, ANameThatIsThereTooOftenIsCut) {
  const std::vector<std::string> names(100000, "same");
  const ExportIndex index(symbols(names));
  EXPECT_THAT(index.find(ExportIndex::hash("same")), SizeIs(ExportIndex::kMaxPerName));
}

}  // namespace
}  // namespace myops::elf
