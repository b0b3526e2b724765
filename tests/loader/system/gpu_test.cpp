#include "loader/system/gpu.h"

#include <gmock/gmock.h>

#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

std::vector<std::string> names(const GpuFacts& facts) {
  std::vector<std::string> out;
  for (const auto& gpu : facts.gpus) out.push_back(gpu.name);
  return out;
}

// A machine with two cards, as the driver shows them.
void write_two_cards(const TemporaryFolder& root) {
  for (const char* device : {"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-modeset", "null"}) {
    root.write(std::string("dev/") + device, "");
  }
  root.write("proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build  (dvs-builder)\nGCC "
             "version: 12.2.0\n");
  root.write("proc/driver/nvidia/gpus/0000:18:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n");
  root.write("proc/driver/nvidia/gpus/0000:2a:00.0/information", "Model: \t\t NVIDIA L4\nIRQ: 2\n");
}

TEST(Gpus, NoneWithoutDevices) {
  const TemporaryFolder root;
  const GpuFacts facts = read_gpus(root.path(), std::nullopt);
  EXPECT_THAT(facts.gpus, IsEmpty());
  EXPECT_EQ(facts.driver, "");
}

TEST(Gpus, NoneWithoutTheDeviceThatGivesThemAway) {
  const TemporaryFolder root;
  write_two_cards(root);
  std::filesystem::remove(root / "dev/nvidiactl");
  EXPECT_THAT(read_gpus(root.path(), std::nullopt).gpus, IsEmpty());
}

TEST(Gpus, DevicesModelsAndDriver) {
  const TemporaryFolder root;
  write_two_cards(root);
  const GpuFacts facts = read_gpus(root.path(), std::nullopt);
  EXPECT_THAT(names(facts), ElementsAre("NVIDIA H200", "NVIDIA L4"));
  EXPECT_EQ(facts.driver, "580.65.06");
  EXPECT_EQ(facts.gpus[0].capability, "");
}

TEST(Gpus, OlderDriverTextAndSysfs) {
  const TemporaryFolder root;
  root.write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82  Thu Sep 2 2021\n");
  EXPECT_EQ(read_gpus(root.path(), std::nullopt).driver, "470.82");
  const TemporaryFolder other;
  other.write("sys/module/nvidia/version", "535.129.03\n");
  EXPECT_EQ(read_gpus(other.path(), std::nullopt).driver, "535.129.03");
}

TEST(Gpus, DriverWithoutDevices) {
  const TemporaryFolder root;
  root.write("dev/nvidiactl", "");
  root.write("sys/module/nvidia/version", "535.129.03\n");
  const GpuFacts facts = read_gpus(root.path(), std::nullopt);
  EXPECT_THAT(facts.gpus, IsEmpty());
  EXPECT_EQ(facts.driver, "535.129.03");
}

TEST(Gpus, ContainerWithFewerDevicesThanCardsDoesNotGuessTheModel) {
  const TemporaryFolder root;
  write_two_cards(root);
  std::filesystem::remove(root / "dev/nvidia0");
  EXPECT_THAT(names(read_gpus(root.path(), std::nullopt)), ElementsAre("NVIDIA GPU"));
}

TEST(Gpus, WindowsDriverUnderWsl) {
  const TemporaryFolder root;
  root.write("dev/dxg", "");
  EXPECT_THAT(names(read_gpus(root.path(), std::nullopt)), ElementsAre("NVIDIA GPU"));
}

TEST(Gpus, VisibleDevicesAreReadAsCudaDoes) {
  const TemporaryFolder root;
  write_two_cards(root);
  const auto visible = [&](const char* list) { return names(read_gpus(root.path(), list)); };
  EXPECT_THAT(visible(""), IsEmpty());
  EXPECT_THAT(visible("-1"), IsEmpty());
  EXPECT_THAT(visible("7"), IsEmpty());
  EXPECT_THAT(visible("1,0"), ElementsAre("NVIDIA L4", "NVIDIA H200"));
  EXPECT_THAT(visible("0,7,1"), ElementsAre("NVIDIA H200"));
  EXPECT_THAT(visible("GPU-8932f937"), ElementsAre("GPU-8932f937"));
  EXPECT_THAT(visible("nonsense"), IsEmpty());
  EXPECT_THAT(visible("0, 1"), ElementsAre("NVIDIA H200", "NVIDIA L4"));
  EXPECT_THAT(visible(" 0"), ElementsAre("NVIDIA H200"));
  EXPECT_THAT(visible("1gpu2,+0x"), ElementsAre("NVIDIA L4", "NVIDIA H200"));
  EXPECT_THAT(visible("0,,1"), ElementsAre("NVIDIA H200"));
  EXPECT_THAT(visible("99999999999999999999"), IsEmpty());
  EXPECT_THAT(visible("0,1,0"), IsEmpty()) << "one device twice";
  EXPECT_THAT(visible("GPU-8932f937, GPU-1"), ElementsAre("GPU-8932f937", "GPU-1"));
  EXPECT_THAT(visible("GPU-1,GPU-1"), IsEmpty());
}

TEST(Gpus, NoUuidMakesADevice) {
  const TemporaryFolder root;
  EXPECT_THAT(read_gpus(root.path(), "GPU-8932f937").gpus, IsEmpty()) << "left by a scheduler on a machine without one";
  write_two_cards(root);
  EXPECT_THAT(names(read_gpus(root.path(), "GPU-1,GPU-2,GPU-3")), ElementsAre("GPU-1", "GPU-2"));
}

}  // namespace
}  // namespace myops::system
