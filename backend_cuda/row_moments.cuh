// The moments of a row whose threads hold it.
#pragma once

#include "backend_cuda/lane_sums.cuh"
#include "backend_cuda/layer_norm_math.h"
#include "backend_cuda/norms.h"
#include "backend_cuda/rms_norm_math.h"
#include "backend_cuda/row_reader.cuh"

namespace myops::cuda {

// What the threads of a block hand each other.
template <class W>
struct RowShared {
  WarpSums sums;
  W mean;
  Moments<W> moments;
  RowGradient<W> gradient;
};

// What is the same for every row of a launch.
struct RowCall {
  double per_element;  // 1 / size: multiplying by it waits less than dividing
  double eps;
  int lanes;
  bool one_batch;
};

template <class Row, class Call>
RowCall row_call(const Call& call, const RowShape& shape) {
  const bool one_batch = Row::is_one_batch(call.size, shape.lanes);
  return {1 / static_cast<double>(call.size), call.eps, shape.lanes, one_batch};
}

// All threads of the block take part; those without a row get what is not used.
template <Norm kNorm, class T, int kWidth, int kCached>
__device__ Moments<Wide<T>> moments_of(const CachedRow<T, kWidth, kCached>& row, const RowCall& call,
                                       RowShared<Wide<T>>& shared) {
  using W = Wide<T>;
  LaneSums<W, 1> first;
  row.for_each(
      [&](int64_t, const Pack<T, kWidth>& elements) {
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const W x = widen(elements.values[k]);
          first.recent[0] += kNorm == Norm::kRms ? x * x : x;
        }
      },
      [&] { first.end_batch(); });
  if constexpr (kNorm == Norm::kRms) {
    return finish_lanes(first, call.one_batch, call.lanes, shared.sums, shared.moments, [&](const double (&totals)[1]) {
      return rms_moments<W>(totals[0], call.per_element, call.eps);
    });
  } else {
    const W mean =
        finish_lanes(first, call.one_batch, call.lanes, shared.sums, shared.mean,
                     [&](const double (&totals)[1]) { return static_cast<W>(totals[0] * call.per_element); });
    LaneSums<W, 2> sums;
    row.for_each(
        [&](int64_t, const Pack<T, kWidth>& elements) {
#pragma unroll
          for (int k = 0; k < kWidth; ++k) {
            const W deviation = widen(elements.values[k]) - mean;
            sums.recent[0] += deviation;
            sums.recent[1] += deviation * deviation;
          }
        },
        [&] { sums.end_batch(); });
    return finish_lanes(sums, call.one_batch, call.lanes, shared.sums, shared.moments, [&](const double (&totals)[2]) {
      return layer_moments<W>(mean, totals[0], totals[1], call.per_element, call.eps);
    });
  }
}

}  // namespace myops::cuda
