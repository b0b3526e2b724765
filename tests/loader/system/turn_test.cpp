#include "loader/system/turn.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "loader/system/bridge.h"
#include "loader/system/open.h"
#include "loader/system/torch.h"

namespace myops::system {
namespace {

using std::chrono::milliseconds;

// The loader's own snapshot, from another thread.
std::future<bool> ask_elsewhere() {
  return std::async(std::launch::async, [] {
    const auto choice = choose_torch("");
    return choice && choice->torch && snapshot(*choice->torch, SnapshotRequest(), {}).has_value();
  });
}

TEST(Turn, TheThreadThatHasItMayTakeAnother) {
  const Turn first;
  const Turn second;
}

TEST(Turn, SnapshotWaitsForTheLoadThatIsUnderWay) {
  ASSERT_EQ(open_library(TORCH_FOLDER "/libtorch_cpu.so"), std::nullopt);
  ASSERT_TRUE(ask_elsewhere().get());
  std::future<bool> answer;
  {
    const Turn loading;
    answer = ask_elsewhere();
    EXPECT_EQ(answer.wait_for(milliseconds(300)), std::future_status::timeout);
  }
  EXPECT_TRUE(answer.get());
}

}  // namespace
}  // namespace myops::system
