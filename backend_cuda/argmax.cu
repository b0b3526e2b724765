// The kernel of argmax. Where a result has many terms, a first pass finds the best of each chunk, and a second one the
// best of those.
#include "backend_cuda/argmax_math.h"
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/reductions.h"

namespace myops::cuda {
namespace {

template <class T>
using Comparable = std::conditional_t<std::is_integral_v<T>, T, Wide<T>>;  // wide integers would lose the sign

template <class T>
__device__ Comparable<T> comparable(T value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return widen(value);
  }
}

// The best of the terms that one lane looks at, in the order of their indices.
template <class T>
class LaneBest {
 public:
  __device__ void consider(T value, int64_t index) {
    const auto challenger = comparable(value);
    if (best_.index < 0 || exceeds(challenger, best_.value)) {
      best_ = {challenger, index};
    }
  }
  __device__ Candidate<Comparable<T>> best() const { return best_; }

 private:
  Candidate<Comparable<T>> best_{Comparable<T>(), -1};
};

// Terms `begin` to `end`, which lie side by side and begin where a pack does, the lanes taking packs in turns.
template <class T>
__device__ void consider_packs(LaneBest<T>& best, const T* data, int64_t begin, int64_t end, int lane, int lanes) {
  constexpr int kWidth = kElementsPerPack<T>;
  constexpr int kAtOnce = 2;
  const auto* from = reinterpret_cast<const Pack<T, kWidth>*>(data + begin);
  const int64_t packs = (end - begin) / kWidth;
  for (int64_t pack = lane; pack < packs; pack += kAtOnce * lanes) {
    Pack<T, kWidth> values[kAtOnce];
    read_packs(from, pack, lanes, packs, values);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (pack + k * lanes < packs) {
#pragma unroll
        for (int element = 0; element < kWidth; ++element) {
          best.consider(values[k].values[element], begin + (pack + k * lanes) * kWidth + element);
        }
      }
    }
  }
  for (int64_t term = begin + packs * kWidth + lane; term < end; term += lanes) {
    best.consider(data[term], term);
  }
}

// The best of result r in chunk c goes to output[r * shape.chunks + c]. Terms are those of the dimension, or, where
// `finalists` is not null, the indices that it holds, `finalists_each` for each result.
template <class T, bool kPacks>
__global__ void __launch_bounds__(kReductionThreads)
    argmax_kernel(const T* input, const __grid_constant__ Reduction reduction, ReductionShape shape,
                  const int64_t* finalists, int64_t finalists_each, int64_t* output) {
  using Best = Candidate<Comparable<T>>;
  __shared__ Comparable<T> values[kReductionThreads];
  __shared__ int64_t indices[kReductionThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread / shape.lane_step % shape.lanes;
  const int slot = thread / shape.result_step % shape.results_per_block;
  const int64_t stride = reduction.terms.count == 0 ? 0 : reduction.terms.stride[0];
  const int64_t terms = finalists == nullptr ? reduction.terms.elements : finalists_each;
  for (int64_t piece = blockIdx.x; piece < shape.pieces; piece += gridDim.x) {
    const int64_t group = divide(piece, shape.chunks);
    const int64_t chunk = piece - group * shape.chunks;
    const int64_t result = group * shape.results_per_block + slot;
    const bool exists = result < reduction.kept.elements;
    LaneBest<T> best;
    if (exists) {
      const T* data = input + reduction.kept.offset_of(result);
      const int64_t begin = chunk * shape.terms_per_chunk;
      const int64_t rest = terms - begin;
      const int64_t end = begin + (rest < shape.terms_per_chunk ? rest : shape.terms_per_chunk);
      if constexpr (kPacks) {
        consider_packs(best, data, begin, end, lane, shape.lanes);
      } else {
#pragma unroll 4
        for (int64_t term = begin + lane; term < end; term += shape.lanes) {
          const int64_t index = finalists == nullptr ? term : finalists[result * finalists_each + term];
          best.consider(data[index * stride], index);
        }
      }
    }
    values[thread] = best.best().value;
    indices[thread] = best.best().index;
    __syncthreads();
    for (int half = shape.lanes / 2; half > 0; half /= 2) {
      if (lane < half) {
        const int rival = thread + half * shape.lane_step;
        const Best other{values[rival], indices[rival]};
        if (beats(other, Best{values[thread], indices[thread]})) {
          values[thread] = other.value;
          indices[thread] = other.index;
        }
      }
      __syncthreads();
    }
    if (lane == 0 && exists) {
      output[result * shape.chunks + chunk] = indices[thread];
    }
    __syncthreads();  // the next piece writes over them
  }
}

template <class T>
cudaError_t launch_one(const T* input, const Reduction& reduction, const ReductionShape& shape,
                       const int64_t* finalists, int64_t finalists_each, int64_t* output, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min(shape.pieces, kMaxGrid));
  const bool packs = finalists == nullptr && shape.lane_step == 1 && fits_packs(reduction, input, sizeof(T));
  return start(packs ? argmax_kernel<T, true> : argmax_kernel<T, false>, blocks, kReductionThreads, stream, input,
               reduction, shape, finalists, finalists_each, output);
}

}  // namespace

cudaError_t launch_argmax(Dtype dtype, const void* input, const Reduction& reduction, void* partial, void* output,
                          cudaStream_t stream) {
  const ReductionShape shape = reduction_shape(reduction);
  auto* indices = static_cast<int64_t*>(output);
  auto* finalists = static_cast<int64_t*>(partial);
  return dispatch_numbers(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto* from = static_cast<const T*>(input);
    if (shape.chunks == 1) {
      return launch_one(from, reduction, shape, nullptr, 0, indices, stream);
    }
    const cudaError_t error = launch_one(from, reduction, shape, nullptr, 0, finalists, stream);
    if (error != cudaSuccess) {
      return error;
    }
    const ReductionShape last =
        in_one_piece(reduction_shape(reduction.kept.elements, shape.chunks, /*by_columns=*/false), shape.chunks);
    return launch_one(from, reduction, last, finalists, shape.chunks, indices, stream);
  });
}

}  // namespace myops::cuda
