#include "loader/system/side_by_side.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace myops::system {
namespace {

using ::testing::Each;

bool has_two_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= 2;
}

// The threads that took part; each waits until there are as many as `expected`, or for a second.
std::set<std::thread::id> threads_of(std::size_t count, std::size_t share, std::size_t expected) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  side_by_side(count, share, [&](Turns& turns) {
    const auto met = [&] {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      return threads.size() >= expected;
    };
    for (int i = 0; !met() && i < 1000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (turns.next()) {
    }
  });
  return threads;
}

TEST(SideBySide, EachTurnIsTakenOnce) {
  for (const std::size_t count : {0, 1, 7, 1000}) {
    std::vector<int> taken(count);
    side_by_side(count, 2, [&](Turns& turns) {
      while (const auto turn = turns.next()) ++taken[*turn];
    });
    EXPECT_THAT(taken, Each(1)) << count;
  }
}

TEST(SideBySide, FewItemsAreTheCallersOwn) { EXPECT_EQ(threads_of(127, 64, 1), std::set{std::this_thread::get_id()}); }

TEST(SideBySide, ManyHaveSeveralThreads) {
  if (!has_two_processors()) GTEST_SKIP() << "this process may run on one processor only";
  const auto threads = threads_of(128, 64, 2);
  EXPECT_EQ(threads.size(), 2U);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(SideBySide, OneProcessorHasOneThread) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto threads = threads_of(1000, 1, 1);
  ::sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(SideBySide, SignalsAreLeftToTheCaller) {
  const auto blocks_all = [] {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return ::sigismember(&blocked, SIGTERM) == 1 && ::sigismember(&blocked, SIGINT) == 1;
  };
  const std::thread::id caller = std::this_thread::get_id();
  std::mutex mutex;
  std::vector<bool> of_caller, of_others;
  side_by_side(1000, 1, [&](Turns& turns) {
    while (turns.next()) {
      const std::lock_guard lock(mutex);
      (std::this_thread::get_id() == caller ? of_caller : of_others).push_back(blocks_all());
    }
  });
  EXPECT_THAT(of_caller, Each(false));
  EXPECT_THAT(of_others, Each(true));
  EXPECT_FALSE(blocks_all());
}

TEST(SideBySide, WhatTheCallerThrowsComesAfterTheOthersEnd) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> running = 0;
  EXPECT_THROW(side_by_side(1000, 1,
                            [&](Turns& turns) {
                              if (std::this_thread::get_id() == caller) throw std::runtime_error("no memory");
                              ++running;
                              while (turns.next()) std::this_thread::sleep_for(std::chrono::microseconds(10));
                              --running;
                            }),
               std::runtime_error);
  EXPECT_EQ(running, 0);
}

}  // namespace
}  // namespace myops::system
