#include "loader/system/stamp_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace myops::system {
namespace {

using ::testing::ElementsAre;

elf::ElfFacts needing(std::vector<std::string> needed) {
  elf::ElfFacts facts;
  facts.needed = std::move(needed);
  return facts;
}

const elf::DeviceCode kCode{true, {{"75", "120"}, {"120"}}};

TEST(StampCuda, ALibraryThatNeedsNothingOfCudaHasNoPart) {
  const auto part = cuda_part(needing({"libc10.so", "libtorch_cpu.so"}), {}, "", "13.2");
  ASSERT_TRUE(part);
  EXPECT_FALSE(*part);
}

TEST(StampCuda, TakesTheRuntimeThatWasNamedAndTheCodeThatIsThere) {
  const auto part = cuda_part(needing({"libc10.so", "libcudart.so.13"}), kCode, "13.0", "13.2");
  ASSERT_TRUE(part && *part);
  EXPECT_EQ((*part)->runtime, "13.0");
  EXPECT_THAT((*part)->code.sm, ElementsAre("75", "120"));
  EXPECT_THAT((*part)->code.ptx, ElementsAre("120"));
  EXPECT_TRUE((*part)->parts.empty());
}

TEST(StampCuda, KeepsWhatSourceFilesHaveOfTheirOwn) {
  elf::DeviceCode code = kCode;
  code.parts = {{{"75", "120"}, {"120"}}, {{"120"}, {}}};
  const auto part = cuda_part(needing({"libcudart.so.13"}), code, "13.0", "13.2");
  ASSERT_TRUE(part && *part && (*part)->parts.size() == 2);
  EXPECT_THAT((*part)->parts[0].ptx, ElementsAre("120"));
  EXPECT_THAT((*part)->parts[1].sm, ElementsAre("120"));
}

TEST(StampCuda, WhereNoneWasNamedTheFileTellsTheMajorVersion) {
  EXPECT_EQ((*cuda_part(needing({"libcudart.so.12"}), kCode, "", "13.2"))->runtime, "12");
  EXPECT_EQ((*cuda_part(needing({"libc10_cuda.so"}), {}, "", "13.2"))->runtime, "13.2");
  EXPECT_EQ((*cuda_part(needing({}), kCode, "", "13.2"))->runtime, "13.2");
}

TEST(StampCuda, AVersionThatContradictsTheFileIsRefused) {
  const auto refused = [](const auto& part) { return !part && part.error().code == Code::kBadOption; };
  EXPECT_TRUE(refused(cuda_part(needing({"libcudart.so.13"}), kCode, "12.8", "13.2")));
  EXPECT_TRUE(refused(cuda_part(needing({"libcudart.so.13"}), kCode, "new", "13.2")));
  EXPECT_TRUE(refused(cuda_part(needing({"libc10.so"}), {}, "13.0", "13.2")));
  EXPECT_TRUE(refused(cuda_part(needing({"libcuda.so.1"}), {}, "", "")));
}

}  // namespace
}  // namespace myops::system
