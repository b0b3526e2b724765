#include "loader/system/turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

#include "loader/system/bridge.h"
#include "loader/system/last_load.h"
#include "loader/system/load.h"
#include "loader/system/log.h"
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

#if !defined(__SANITIZE_THREAD__)  // which ends a child of several threads
// How a child ends that takes a Turn, logs and asks for the report.
int status_of_a_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const Turn turn;
    log(LogLevel::kDebug, "in the child");
    ::_exit(last_report().status == kCannotLoad ? 7 : 8);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Turn, ForkWaitsForTheLoadThatIsUnderWayAndTheChildMayTakeOne) {
  std::promise<void> under_way;
  const auto loading = std::async(std::launch::async, [&] {
    const Turn turn;
    under_way.set_value();
    std::this_thread::sleep_for(milliseconds(300));
  });
  under_way.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  const int status = status_of_a_child();
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_GT(std::chrono::steady_clock::now() - start, milliseconds(100));
}

TEST(Turn, ThreadThatHasOneMayFork) {
  const Turn turn;
  EXPECT_EQ(WEXITSTATUS(status_of_a_child()), 7);
  const Turn again;
}
#endif

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
