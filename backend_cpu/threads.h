// Shares work out among torch's threads: at::parallel_for is the only source of threads here, so torch's settings are
// obeyed.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>

namespace myops::cpu {

// Below this many elements another thread costs more than it brings; as at::internal::GRAIN_SIZE.
inline constexpr int64_t kElementsPerThread = 32768;

// body(begin, end) for ranges that make up 0 to `pieces`.
template <class Body>
void share_out(int64_t pieces, int64_t elements_per_piece, const Body& body) {
  const int64_t grain = std::max<int64_t>(1, kElementsPerThread / std::max<int64_t>(1, elements_per_piece));
  at::parallel_for(0, pieces, grain, body);
}

}  // namespace myops::cpu
