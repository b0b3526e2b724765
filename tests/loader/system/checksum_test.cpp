#include "loader/system/checksum.h"

#include <gmock/gmock.h>

#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

std::string sha256(const std::string& content) {
  const testing::TemporaryFolder folder;
  folder.write("file", content);
  return sha256_of(**FileBytes::open(folder / "file")).value_or("not read");
}

// FIPS 180-4, examples; and a million letters, more than is read at a time.
TEST(Checksum, IsThatOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Checksum, FileThatShrinksHasNone) {
  const testing::TemporaryFolder folder;
  folder.write("file", std::string(3000000, 'x'));
  const auto bytes = FileBytes::open(folder / "file");
  std::filesystem::resize_file(folder / "file", 1000);
  EXPECT_EQ(sha256_of(**bytes), std::nullopt);
}

}  // namespace
}  // namespace myops::system
