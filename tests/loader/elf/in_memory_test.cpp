// What is in memory already is looked at there, and reads as what is read.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "tests/loader/elf/image.h"
#include "tests/loader/elf/parsing.h"

namespace myops::elf {
namespace {

// Has the first `held` bytes in memory, and more after bring().
class HeldBytes final : public Bytes {
 public:
  HeldBytes(std::span<const std::byte> data, std::size_t held) : data_(data) { bring(held); }
  std::uint64_t size() const override { return data_.size(); }
  bool read(std::uint64_t offset, std::span<std::byte> out) const override {
    return SpanBytes(data_).read(offset, out);
  }
  std::span<const std::byte> in_memory() const override { return start_; }

  // Moves what is there, as a buffer that grows does.
  void bring(std::size_t held) {
    std::ranges::fill(start_, std::byte{0xEE});
    start_ = std::vector<std::byte>(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(held));
  }

 private:
  std::span<const std::byte> data_;
  std::vector<std::byte> start_;
};

std::vector<std::byte> image() {
  Image image;
  image.soname(std::string(5000, 's')).needed("libc.so.6").define({.name = "f"}).import({.name = "g"});
  return image.build();
}

void expect_same(const Result<ElfFacts>& found, const Result<ElfFacts>& expected) {
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->soname, expected->soname);
  EXPECT_EQ(found->needed, expected->needed);
  EXPECT_EQ(names_of(found->imports), names_of(expected->imports));
  EXPECT_EQ(names_of(found->exports), names_of(expected->exports));
}

TEST(ElfInMemory, AnyPartOfTheFile) {
  const auto file = image();
  const auto expected = parse(file);
  ASSERT_TRUE(expected);
  ASSERT_GT(file.size(), 5000u);
  for (const std::size_t held : {std::size_t{0}, std::size_t{100}, std::size_t{4095}, std::size_t{4096},
                                 std::size_t{4097}, file.size() - 1, file.size()}) {
    SCOPED_TRACE(held);
    expect_same(parse_elf(HeldBytes(file, held), Depth::kSymbols), expected);
  }
}

TEST(ElfInMemory, MoreOfItOnceTheDepthIsChosen) {
  const auto file = image();
  HeldBytes bytes(file, 4096);
  const auto depth_for = [&](const ElfFacts&) {
    bytes.bring(file.size());
    return Depth::kSymbols;
  };
  expect_same(parse_elf(bytes, depth_for), parse(file));
}

}  // namespace
}  // namespace myops::elf
