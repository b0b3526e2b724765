#include "loader/system/side_by_side.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>
#include <vector>

namespace myops::system {
namespace {

// A machine of a hundred processors is not to start a hundred for what takes milliseconds. (Measured with two.)
constexpr std::size_t kMost = 8;

// Those that this thread may run on.
std::size_t processors() {
  cpu_set_t set;
  // It fails on machines of more than 1024.
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : kMost;
}

// Threads inherit what their maker blocks. One that waits for them must not be ended by pthread_cancel either.
class Undisturbed {
 public:
  Undisturbed() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled_);
  }
  ~Undisturbed() {
    ::pthread_setcancelstate(cancelled_, nullptr);
    hear();
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

  // Signals again.
  void hear() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
  int cancelled_;
};

}  // namespace

void side_by_side(std::size_t count, std::size_t share, const std::function<void(Turns&)>& work) {
  Turns turns(count);
  const std::size_t wanted = std::min(kMost, count / share);
  if (wanted < 2) return work(turns);
  Undisturbed undisturbed;
  std::vector<std::jthread> others;
  try {
    const std::size_t threads = std::min(wanted, processors());
    while (others.size() + 1 < threads) others.emplace_back([&] { work(turns); });
  } catch (const std::system_error&) {
    // There is no room for one more: this thread and those that there are take its turns.
  }
  undisturbed.hear();
  work(turns);
}

}  // namespace myops::system
