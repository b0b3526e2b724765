// The kernel of the sums over rows that the gradients of weight and bias are. A block has 32 neighbouring columns and a
// chunk of the rows; its 8 lanes add rows in the computing type, 64 at a time, and those sums in double. No atomics:
// same bits on every run.
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/moments_math.h"
#include "backend_cuda/norms.h"

namespace myops::cuda {
namespace {

constexpr int kRowLanes = 8;
constexpr int kThreads = kColumnsPerTile * kRowLanes;

struct TwoSums {
  double weight;
  double bias;
};

// Rows `first`, `first` + kRowLanes, … below `end`. Several are read before one is added: memory is far away.
template <class T>
__device__ TwoSums sums_of_lane(const ColumnSums& call, int64_t column, int64_t first, int64_t end) {
  using W = Wide<T>;
  constexpr int kAtOnce = 4;
  constexpr int kRounds = 16;
  const auto* moments = static_cast<const Moments<W>*>(call.moments);
  const T* grad = static_cast<const T*>(call.grad.data) + column * call.grad.stride;
  const T* input = static_cast<const T*>(call.input.data) + column * call.input.stride;
  TwoSums totals{0, 0};
  for (int64_t row = first; row < end;) {
    W weight_sum = 0;
    W bias_sum = 0;
    for (int round = 0; round < kRounds && row < end; ++round, row += kAtOnce * kRowLanes) {
      W dy[kAtOnce];
      W x_hat[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const int64_t r = row + k * kRowLanes;
        const bool exists = r < end;
        dy[k] = exists ? widen(grad[call.grad.dims.offset_of(r)]) : W(0);
        x_hat[k] = exists && call.weight_sums != nullptr
                       ? normalised(static_cast<W>(widen(input[call.input.dims.offset_of(r)])), moments[r])
                       : W(0);
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        weight_sum += dy[k] * x_hat[k];
        bias_sum += dy[k];
      }
    }
    totals.weight += weight_sum;
    totals.bias += bias_sum;
  }
  return totals;
}

// Four blocks on a multiprocessor leave 64 registers to a thread: with fewer, values that are on their way are spilled.
template <class T>
__global__ void __launch_bounds__(kThreads, 4) column_sums_kernel(const __grid_constant__ ColumnSums call) {
  __shared__ TwoSums totals[kRowLanes][kColumnsPerTile];
  const int slot = static_cast<int>(threadIdx.x) % kColumnsPerTile;
  const int lane = static_cast<int>(threadIdx.x) / kColumnsPerTile;
  const int64_t tiles = (call.size + kColumnsPerTile - 1) / kColumnsPerTile;
  for (int64_t piece = blockIdx.x; piece < tiles * call.chunks; piece += gridDim.x) {
    const int64_t chunk = piece / tiles;
    const int64_t column = piece % tiles * kColumnsPerTile + slot;
    const int64_t rows_per_chunk = (call.rows + call.chunks - 1) / call.chunks;
    const int64_t begin = chunk * rows_per_chunk;
    const int64_t end = begin + rows_per_chunk < call.rows ? begin + rows_per_chunk : call.rows;
    totals[lane][slot] = column < call.size ? sums_of_lane<T>(call, column, begin + lane, end) : TwoSums{0, 0};
    __syncthreads();
    if (lane == 0 && column < call.size) {
      TwoSums sums{0, 0};
      for (int other = 0; other < kRowLanes; ++other) {
        sums.weight += totals[other][slot].weight;
        sums.bias += totals[other][slot].bias;
      }
      const int64_t place = chunk * call.size + column;
      if (call.weight_sums != nullptr) {
        call.weight_sums[place] = sums.weight;
      }
      if (call.bias_sums != nullptr) {
        call.bias_sums[place] = sums.bias;
      }
    }
    __syncthreads();  // the next piece writes over the totals
  }
}

}  // namespace

cudaError_t launch_column_sums(Dtype dtype, const ColumnSums& call, cudaStream_t stream) {
  const int64_t pieces = ceil_div(call.size, kColumnsPerTile) * call.chunks;
  const auto blocks = static_cast<unsigned>(std::min(pieces, kMaxGrid));
  return dispatch_floating(
      dtype, [&](auto zero) { return start(column_sums_kernel<decltype(zero)>, blocks, kThreads, stream, call); });
}

}  // namespace myops::cuda
