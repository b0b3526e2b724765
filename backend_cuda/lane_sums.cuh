// Sums over the threads that share a row, and what is made of them. As on CPU, at most 1024 terms are added in the
// computing type and those sums in double: the error does not grow with the row, and a sum beyond float's range is no
// infinity. Few operations in double: many GPUs have one unit for it where they have 64 for float. Always in the same
// order, and every thread gets the same bits.
#pragma once

#include "backend_cuda/launch_shape.h"

namespace myops::cuda {

// The sums of one lane. Between two batches of at most 32 terms it goes on in double.
template <class W, int kSums>
struct LaneSums {
  static_assert(kSums <= 2);

  W recent[kSums] = {};
  double earlier[kSums] = {};

  __device__ void end_batch() {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      earlier[s] += recent[s];
      recent[s] = 0;
    }
  }
};

struct WarpSums {
  double of[2][kMaxLanes / kWarp];
};

// Replaces each sum by its total over `lanes` neighbouring threads, a power of two up to a warp.
template <class W, int kSums>
__device__ void add_in_warp(W (&sums)[kSums], int lanes) {
  for (int half = lanes / 2; half > 0; half /= 2) {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      sums[s] += __shfl_xor_sync(0xffffffffU, sums[s], half);
    }
  }
}

// finish(totals) of the totals over the `lanes` threads of a row. All threads of the block take part, with the same
// `lanes` and `one_batch` (no lane has more than one batch). Where a row has more threads than a warp, the block has
// one row, the first warp alone finishes, and `shared` takes the result to the others.
template <class W, int kSums, class Result, class Finish>
__device__ Result finish_lanes(LaneSums<W, kSums>& sums, bool one_batch, int lanes, WarpSums& warp_sums, Result& shared,
                               const Finish& finish) {
  const int lanes_in_warp = lanes < kWarp ? lanes : kWarp;
  if (one_batch) {
    add_in_warp(sums.recent, lanes_in_warp);
  }
  sums.end_batch();
  if (!one_batch) {
    add_in_warp(sums.earlier, lanes_in_warp);
  }
  if (lanes <= kWarp) {
    return finish(sums.earlier);
  }
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int place = static_cast<int>(threadIdx.x) % kWarp;
  if (place == 0) {
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      warp_sums.of[s][warp] = sums.earlier[s];
    }
  }
  __syncthreads();
  if (warp == 0) {
    const int warps = lanes / kWarp;
#pragma unroll
    for (int s = 0; s < kSums; ++s) {
      sums.earlier[s] = warp_sums.of[s][place % warps];
    }
    add_in_warp(sums.earlier, warps);
    const Result result = finish(sums.earlier);
    if (place == 0) {
      shared = result;
    }
  }
  __syncthreads();
  return shared;
}

}  // namespace myops::cuda
