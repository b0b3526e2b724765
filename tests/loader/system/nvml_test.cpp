// The parent's side with shell scripts for children; the child's side is tests/python/test_gpus.py's, with a library
// that stands in for the driver's.
#include "loader/system/nvml.h"

#include <gmock/gmock.h>

namespace myops::system {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<DriverFacts> ask(const std::string& script, int milliseconds = 30000) {
  return ask_driver({"/bin/sh", "-c", script, "sh"}, std::chrono::milliseconds(milliseconds));
}

TEST(AskDriver, TakesWhatTheChildTells) {
  const auto facts = ask(
      R"(echo '{"driver": "580.1", "gpus": [{"name": "H200", "capability": "9.0", "uuid": "GPU-1"}, 3, {}]}'; echo "$1" "$2" >&2)");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->driver, "580.1");
  ASSERT_EQ(facts->devices.size(), 2U);
  EXPECT_EQ(facts->devices[0].capability, "9.0");
  EXPECT_EQ(facts->devices[0].uuid, "GPU-1");
}

TEST(AskDriver, WhatGoesWrongIsTold) {
  EXPECT_THAT(ask("kill -SEGV $$").error().found, HasSubstr("signal 11"));
  EXPECT_THAT(ask("sleep 60", 100).error().found, HasSubstr("killed"));
  EXPECT_EQ(ask(R"(echo '{"error": "nvmlInit_v2: Driver Not Loaded"}')").error().found,
            "nvmlInit_v2: Driver Not Loaded");
  EXPECT_EQ(ask("echo nonsense").error().found, "the child process gave no answer");
  EXPECT_EQ(ask(R"(echo '{"gpus": 3}')").error().found, "the child process gave no answer");
  EXPECT_EQ(ask_driver({"/no/such/program"}, std::chrono::seconds(1)).error().code, Code::kOpenFailed);
}

TEST(DriverFacts, WithoutTheLibraryIsAnError) {
  const auto json = driver_facts_json();
  if (!json.contains("error")) GTEST_SKIP() << "this machine has NVIDIA's management library";
  EXPECT_THAT(std::string(json.at("error").as_string()), HasSubstr("libnvidia-ml.so.1"));
}

const std::vector<Device> kTwo = {{"H200", "9.0", "GPU-111-a"}, {"L4", "8.9", "GPU-222-b"}};

std::string shown(const std::vector<rules::Gpu>& gpus) {
  std::string text;
  for (const rules::Gpu& gpu : gpus) text += gpu.name + " " + gpu.capability + ";";
  return text;
}

TEST(VisibleGpus, AreThoseThatCudaShows) {
  EXPECT_EQ(shown(visible_gpus(kTwo, std::nullopt, false)), "H200 9.0;L4 8.9;");
  EXPECT_EQ(shown(visible_gpus(kTwo, "1,0", true)), "L4 8.9;H200 9.0;");
  EXPECT_EQ(shown(visible_gpus(kTwo, "GPU-222", false)), "L4 8.9;");
  EXPECT_EQ(shown(visible_gpus(kTwo, "GPU-9", false)), "GPU-9 ;");
  EXPECT_THAT(visible_gpus(kTwo, "-1", true), IsEmpty());
}

TEST(VisibleGpus, NumberOfTheFastestFirstMeansAnyOfThem) {
  EXPECT_EQ(shown(visible_gpus(kTwo, "0", false)), "NVIDIA GPU ;");
  const std::vector<Device> same = {{"H200", "9.0", "GPU-1"}, {"H100", "9.0", "GPU-2"}};
  EXPECT_EQ(shown(visible_gpus(same, "1", false)), "NVIDIA GPU 9.0;");
}

}  // namespace
}  // namespace myops::system
