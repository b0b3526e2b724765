// Work on many items that do not need each other, by as many threads as there are processors for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>

namespace myops::system {

// Deals out 0, 1, …, count - 1, each to one thread.
class Turns {
 public:
  explicit Turns(std::size_t count) : count_(count) {}

  // None: all are taken.
  std::optional<std::size_t> next() {
    const std::size_t turn = taken_.fetch_add(1, std::memory_order_relaxed);
    return turn < count_ ? std::optional(turn) : std::nullopt;
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> taken_ = 0;
};

// Lets each thread take turns until none is left. This thread is one of them, and the only one where there are fewer
// than `share` turns for a second, one processor, or no room for a thread. The others have ended when it returns; no
// signal handler runs on them, and their work must not throw.
void side_by_side(std::size_t count, std::size_t share, const std::function<void(Turns&)>& work);

}  // namespace myops::system
