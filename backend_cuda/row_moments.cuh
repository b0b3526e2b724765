// The moments of a row whose threads hold it.
#pragma once

#include "backend_cuda/lane_sums.cuh"
#include "backend_cuda/layer_norm_math.h"
#include "backend_cuda/norms.h"
#include "backend_cuda/rms_norm_math.h"
#include "backend_cuda/row_reader.cuh"

namespace myops::cuda {

// All threads of the block take part; those without a row get what is not used.
template <Norm kNorm, class T, int kWidth>
__device__ Moments<Wide<T>> moments_of(const CachedRow<T, kWidth>& row, int64_t size, double eps, int lanes,
                                       SharedSums<Wide<T>>& shared) {
  using W = Wide<T>;
  const W count = static_cast<W>(size);
  W first[1] = {0};
  row.for_each([&](int64_t, const Pack<T, kWidth>& elements) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const W x = widen(elements.values[k]);
      first[0] += kNorm == Norm::kRms ? x * x : x;
    }
  });
  add_lanes(first, lanes, shared);
  if constexpr (kNorm == Norm::kRms) {
    return rms_moments(first[0], count, static_cast<W>(eps));
  } else {
    const W mean = first[0] / count;
    W sums[2] = {0, 0};
    row.for_each([&](int64_t, const Pack<T, kWidth>& elements) {
#pragma unroll
      for (int k = 0; k < kWidth; ++k) {
        const W deviation = widen(elements.values[k]) - mean;
        sums[0] += deviation;
        sums[1] += deviation * deviation;
      }
    });
    add_lanes(sums, lanes, shared);
    return layer_moments(mean, sums[0], sums[1], count, static_cast<W>(eps));
  }
}

}  // namespace myops::cuda
