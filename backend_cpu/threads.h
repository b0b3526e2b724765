// Shares work out among torch's threads: at::parallel_for is the only source of threads here, so torch's settings are
// obeyed.
#pragma once

#include <ATen/Parallel.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

namespace myops::cpu {

// Below this many elements another thread costs more than it brings; as at::internal::GRAIN_SIZE.
inline constexpr int64_t kElementsPerThread = 32768;

// The child of a fork() has none of its parent's threads, and OpenMP's runtime (libgomp), which knows nothing of that,
// would wait for them for ever. True in the child where they had worked for this library before.
inline bool threads_are_gone() {
  static std::atomic<bool> gone = false;
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, [] { gone = true; });
  return gone;
}

// body(begin, end) for ranges that make up 0 to `pieces`.
template <class Body>
void share_out(int64_t pieces, int64_t elements_per_piece, const Body& body) {
  const int64_t grain = std::max<int64_t>(1, kElementsPerThread / std::max<int64_t>(1, elements_per_piece));
  const bool alone = pieces <= grain || at::get_num_threads() == 1 || threads_are_gone();
  at::parallel_for(0, pieces, alone ? std::max<int64_t>(1, pieces) : grain, body);
}

}  // namespace myops::cpu
