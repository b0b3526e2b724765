// The kernel of sum. A lane adds its terms in the computing type, 64 at a time, and those sums in one of higher
// precision, in which the lanes and the chunks are added too. Always in the same order: same bits on every run.
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/reductions.h"

namespace myops::cuda {
namespace {

template <class T>
using SumWide = std::conditional_t<std::is_integral_v<T>, int64_t, Wide<T>>;
template <class T>
using Total = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <class T>
using SumResult = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

template <class T>
__device__ SumWide<T> term_value(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    return widen(value);
  }
}

// Terms `first`, `first` + `step`, … below `end`. Several are read before one is added: memory is far away.
template <class T>
__device__ Total<T> sum_of_lane(const T* input, const Dims& terms, int64_t first, int64_t end, int64_t step) {
  constexpr int kAtOnce = 8;
  constexpr int kRounds = 8;
  const bool one_run = terms.count <= 1;
  const int64_t stride = terms.count == 0 ? 0 : terms.stride[0];
  const auto value_of = [&](int64_t term) {
    return term < end ? term_value(input[one_run ? term * stride : terms.offset_of(term)]) : SumWide<T>(0);
  };
  Total<T> total = 0;
  for (int64_t term = first; term < end;) {
    SumWide<T> sums[kAtOnce] = {};
    for (int round = 0; round < kRounds && term < end; ++round, term += kAtOnce * step) {
      SumWide<T> values[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        values[k] = value_of(term + k * step);
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        sums[k] += values[k];
      }
    }
    total += static_cast<Total<T>>(((sums[0] + sums[4]) + (sums[2] + sums[6])) +
                                   ((sums[1] + sums[5]) + (sums[3] + sums[7])));
  }
  return total;
}

// Terms `begin` to `end`, which lie side by side and begin where a pack does, the lanes taking packs in turns.
template <class T>
__device__ Total<T> sum_of_packs(const T* input, int64_t begin, int64_t end, int lane, int lanes) {
  constexpr int kWidth = kElementsPerPack<T>;
  constexpr int kAtOnce = 4;
  constexpr int kRounds = 64 / (kAtOnce * kWidth);
  const auto* from = reinterpret_cast<const Pack<T, kWidth>*>(input + begin);
  const int64_t packs = (end - begin) / kWidth;
  Total<T> total = 0;
  for (int64_t pack = lane; pack < packs;) {
    SumWide<T> sums[kAtOnce] = {};
    for (int round = 0; round < kRounds && pack < packs; ++round, pack += kAtOnce * lanes) {
      Pack<T, kWidth> values[kAtOnce];
      read_packs(from, pack, lanes, packs, values);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
#pragma unroll
        for (int element = 0; element < kWidth; ++element) {
          sums[k] += term_value(values[k].values[element]);
        }
      }
    }
    total += static_cast<Total<T>>((sums[0] + sums[2]) + (sums[1] + sums[3]));
  }
  for (int64_t term = begin + packs * kWidth + lane; term < end; term += lanes) {
    total += static_cast<Total<T>>(term_value(input[term]));
  }
  return total;
}

// Result r of chunk c goes to output[r * chunks + c].
template <class T, class Out, bool kPacks>
__global__ void __launch_bounds__(kReductionThreads)
    sum_kernel(const T* input, const __grid_constant__ Reduction reduction, ReductionShape shape, Out* output) {
  __shared__ Total<T> totals[kReductionThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread / shape.lane_step % shape.lanes;
  const int slot = thread / shape.result_step % shape.results_per_block;
  for (int64_t piece = blockIdx.x; piece < shape.pieces; piece += gridDim.x) {
    const int64_t group = divide(piece, shape.chunks);
    const int64_t chunk = piece - group * shape.chunks;
    const int64_t result = group * shape.results_per_block + slot;
    const bool exists = result < reduction.kept.elements;
    Total<T> total = 0;
    if (exists) {
      const int64_t begin = chunk * shape.terms_per_chunk;
      const int64_t rest = reduction.terms.elements - begin;
      const int64_t end = begin + (rest < shape.terms_per_chunk ? rest : shape.terms_per_chunk);
      const T* data = input + reduction.kept.offset_of(result);
      total = kPacks ? sum_of_packs(data, begin, end, lane, shape.lanes)
                     : sum_of_lane(data, reduction.terms, begin + lane, end, shape.lanes);
    }
    totals[thread] = total;
    __syncthreads();
    for (int half = shape.lanes / 2; half > 0; half /= 2) {
      if (lane < half) {
        totals[thread] += totals[thread + half * shape.lane_step];
      }
      __syncthreads();
    }
    if (lane == 0 && exists) {
      output[result * shape.chunks + chunk] = narrow<Out>(totals[thread]);
    }
    __syncthreads();  // the next piece writes over the totals
  }
}

template <class T, class Out>
cudaError_t launch_one(const T* input, const Reduction& reduction, const ReductionShape& shape, Out* output,
                       cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min(shape.pieces, kMaxGrid));
  const bool packs = shape.lane_step == 1 && fits_packs(reduction, input, sizeof(T));
  return start(packs ? sum_kernel<T, Out, true> : sum_kernel<T, Out, false>, blocks, kReductionThreads, stream, input,
               reduction, shape, output);
}

// The sums of a contiguous matrix over one of its two dimensions, each in one piece.
template <class T, class Out>
cudaError_t launch_matrix(const T* input, int64_t rows, int64_t columns, size_t reduced_dim, Out* output,
                          cudaStream_t stream) {
  const int64_t sizes[] = {rows, columns};
  const int64_t strides[] = {columns, 1};
  const Reduction reduction = make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set(reduced_dim));
  const ReductionShape shape = in_one_piece(reduction_shape(reduction), sizes[reduced_dim]);
  return launch_one(input, reduction, shape, output, stream);
}

}  // namespace

cudaError_t launch_sum(Dtype dtype, const void* input, const Reduction& reduction, void* partial, void* output,
                       cudaStream_t stream) {
  const ReductionShape shape = reduction_shape(reduction);
  return dispatch_numbers_and_bool(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto* from = static_cast<const T*>(input);
    auto* to = static_cast<SumResult<T>*>(output);
    if (shape.chunks == 1) {
      return launch_one(from, reduction, shape, to, stream);
    }
    auto* sums = static_cast<Total<T>*>(partial);
    const cudaError_t error = launch_one(from, reduction, shape, sums, stream);
    return error != cudaSuccess ? error : launch_matrix(sums, reduction.kept.elements, shape.chunks, 1, to, stream);
  });
}

cudaError_t launch_sum_of_rows(Dtype dtype, const double* rows, int64_t count, int64_t columns, void* output,
                               cudaStream_t stream) {
  return dispatch_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    return launch_matrix(rows, count, columns, 0, static_cast<T*>(output), stream);
  });
}

}  // namespace myops::cuda
