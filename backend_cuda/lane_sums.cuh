// Sums over the threads that share a row. Always in the same order, and every thread gets the same bits.
#pragma once

#include "backend_cuda/launch_shape.h"

namespace myops::cuda {

template <class W>
struct SharedSums {
  W of_warp[2][kMaxLanes / kWarp];
};

// Replaces each of the sums by its total over the `lanes` threads. All threads of the block take part. Where a row has
// more threads than a warp, the block has one row.
template <class W, int kSums>
__device__ void add_lanes(W (&sums)[kSums], int lanes, SharedSums<W>& shared) {
  static_assert(kSums <= 2);
  for (int half = (lanes < kWarp ? lanes : kWarp) / 2; half > 0; half /= 2) {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      sums[s] += __shfl_xor_sync(0xffffffffU, sums[s], half);
    }
  }
  if (lanes <= kWarp) {
    return;
  }
  const int warps = lanes / kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  if (threadIdx.x % kWarp == 0) {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      shared.of_warp[s][warp] = sums[s];
    }
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    sums[s] = 0;
    for (int w = 0; w < warps; ++w) {
      sums[s] += shared.of_warp[s][w];
    }
  }
  __syncthreads();  // the next sums write over them
}

}  // namespace myops::cuda
