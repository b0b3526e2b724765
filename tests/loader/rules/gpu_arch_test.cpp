#include "loader/rules/gpu_arch.h"

#include <gtest/gtest.h>

namespace myops::rules {
namespace {

TEST(GpuArch, ReadsCapabilities) {
  EXPECT_EQ(capability_text(*parse_capability("9.0")), "9.0");
  EXPECT_EQ(capability_text(*parse_capability("12.1")), "12.1");
  for (const char* text : {"", "9", "9.0.1", "9.x", "sm_90", "9.0a"}) EXPECT_FALSE(parse_capability(text)) << text;
}

// Case 99: every capability from 5.0 to 12.x against sets of architectures.
struct Row {
  std::vector<std::string> sm, ptx;
  std::string runs_on;  // of the capabilities below
};

TEST(GpuArch, RunsWhereMachineCodeOrPtxDoes) {
  const char* const kCapabilities[] = {"5.0", "5.2", "6.0", "6.1",  "7.0",  "7.5",  "8.0",  "8.6",
                                       "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"};
  const Row kRows[] = {
      {{"75"}, {}, "7.5"},
      {{"70"}, {}, "7.0 7.5"},
      {{"80"}, {}, "8.0 8.6 8.7 8.9"},
      {{"86"}, {}, "8.6 8.7 8.9"},
      {{"89"}, {}, "8.9"},
      {{"90"}, {}, "9.0"},
      {{"90a"}, {}, "9.0"},
      {{"100"}, {}, "10.0 10.3"},
      {{"100a"}, {}, "10.0"},
      {{"100f"}, {}, "10.0 10.3"},
      {{"103f"}, {}, "10.3"},
      {{"120"}, {}, "12.0 12.1"},
      {{}, {"50"}, "5.0 5.2 6.0 6.1 7.0 7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.3 11.0 12.0 12.1"},
      {{}, {"80"}, "8.0 8.6 8.7 8.9 9.0 10.0 10.3 11.0 12.0 12.1"},
      {{}, {"90"}, "9.0 10.0 10.3 11.0 12.0 12.1"},
      {{}, {"120"}, "12.0 12.1"},
      {{}, {"90a"}, "9.0"},
      {{}, {"100f"}, "10.0 10.3"},
      {{"75", "80", "86", "90", "100", "120"}, {"120"}, "7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.3 12.0 12.1"},
      {{"52", "60"}, {"60"}, "5.2 6.0 6.1 7.0 7.5 8.0 8.6 8.7 8.9 9.0 10.0 10.3 11.0 12.0 12.1"},
      {{"9"}, {"x"}, ""},
      {{}, {}, ""},
  };
  for (const Row& row : kRows) {
    const Manifest::DeviceCode code = {row.sm, row.ptx};
    std::string found;
    for (const char* text : kCapabilities) {
      if (!runs_on(code, *parse_capability(text))) continue;
      if (!found.empty()) found += ' ';
      found += text;
    }
    EXPECT_EQ(found, row.runs_on) << code_list(code);
  }
}

TEST(GpuArch, ListsWhatTheLibraryHolds) {
  EXPECT_EQ(code_list({{"75", "80"}, {"120"}}), "sm_75, sm_80, PTX 120");
  EXPECT_EQ(code_list({}), "");
}

}  // namespace
}  // namespace myops::rules
