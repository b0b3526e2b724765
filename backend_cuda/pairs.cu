// The kernels of the elementwise operators: dense in packs of 16 bytes where the pointers allow it, strided, and
// between the two: packs where the innermost dimension is dense, or one operand is the same all along it
// (broadcasting).
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/my_multiple_input_op_math.h"
#include "backend_cuda/myadd_math.h"
#include "backend_cuda/pairs.h"

namespace myops::cuda {
namespace {

template <class T, class Combine>
__device__ T combine_elements(T first, T second) {
  return narrow<T>(Combine()(widen(first), widen(second)));
}

// All whole packs, and what is left behind the last one.
template <class T, int kWidth, class Combine>
__global__ void combine_dense(T* out, const T* first, const T* second, int64_t count) {
  using Elements = Pack<T, kWidth>;
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t packs = count / kWidth;
  for (int64_t i = thread; i < packs; i += step) {
    const Elements a = reinterpret_cast<const Elements*>(first)[i];
    const Elements b = reinterpret_cast<const Elements*>(second)[i];
    Elements result;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      result.values[k] = combine_elements<T, Combine>(a.values[k], b.values[k]);
    }
    reinterpret_cast<Elements*>(out)[i] = result;
  }
  for (int64_t i = packs * kWidth + thread; i < count; i += step) {
    out[i] = combine_elements<T, Combine>(first[i], second[i]);
  }
}

template <class T, class Combine>
__global__ void combine_strided(PairOperands operands, const __grid_constant__ TripleDims dims) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < dims.elements; i += step) {
    int64_t offsets[3];
    dims.offsets_of(i, offsets);
    const auto* a = reinterpret_cast<const T*>(static_cast<const char*>(operands.first) + offsets[1]);
    const auto* b = reinterpret_cast<const T*>(static_cast<const char*>(operands.second) + offsets[2]);
    *reinterpret_cast<T*>(static_cast<char*>(operands.out) + offsets[0]) = combine_elements<T, Combine>(*a, *b);
  }
}

// A pack of an operand: neighbouring elements, or one for all where the innermost dimension has stride 0.
template <class T, int kWidth>
__device__ Pack<T, kWidth> read_operand(const void* data, int64_t offset, bool repeats) {
  const char* place = static_cast<const char*>(data) + offset;
  if (!repeats) {
    return *reinterpret_cast<const Pack<T, kWidth>*>(place);
  }
  const T element = *reinterpret_cast<const T*>(place);
  Pack<T, kWidth> pack;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) {
    pack.values[k] = element;
  }
  return pack;
}

template <class T, int kWidth, class Combine>
__global__ void combine_packs(PairOperands operands, const __grid_constant__ TripleDims dims) {
  const bool repeats[] = {dims.stride[1][dims.count - 1] == 0, dims.stride[2][dims.count - 1] == 0};
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < dims.elements / kWidth; i += step) {
    int64_t offsets[3];
    dims.offsets_of(i * kWidth, offsets);
    const auto a = read_operand<T, kWidth>(operands.first, offsets[1], repeats[0]);
    const auto b = read_operand<T, kWidth>(operands.second, offsets[2], repeats[1]);
    Pack<T, kWidth> result;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      result.values[k] = combine_elements<T, Combine>(a.values[k], b.values[k]);
    }
    *reinterpret_cast<Pack<T, kWidth>*>(static_cast<char*>(operands.out) + offsets[0]) = result;
  }
}

template <class T, class Combine>
cudaError_t launch_dense(const PairOperands& operands, int64_t count, cudaStream_t stream) {
  auto* out = static_cast<T*>(operands.out);
  const auto* first = static_cast<const T*>(operands.first);
  const auto* second = static_cast<const T*>(operands.second);
  if (is_aligned(out) && is_aligned(first) && is_aligned(second)) {
    constexpr int kWidth = kElementsPerPack<T>;
    return start(combine_dense<T, kWidth, Combine>, elementwise_blocks(ceil_div(count, kWidth)), kElementwiseThreads,
                 stream, out, first, second, count);
  }
  return start(combine_dense<T, 1, Combine>, elementwise_blocks(count), kElementwiseThreads, stream, out, first, second,
               count);
}

template <class T, class Combine>
cudaError_t launch_strided(const PairOperands& operands, const TripleDims& dims, cudaStream_t stream) {
  constexpr int64_t kSize = sizeof(T);
  const bool one_run = dims.count == 0 || (dims.count == 1 && dims.stride[0][0] == kSize &&
                                           dims.stride[1][0] == kSize && dims.stride[2][0] == kSize);
  if (one_run) {
    return launch_dense<T, Combine>(operands, dims.elements, stream);
  }
  if (fits_packs(dims, {operands.out, operands.first, operands.second}, kSize)) {
    constexpr int kWidth = kElementsPerPack<T>;
    return start(combine_packs<T, kWidth, Combine>, elementwise_blocks(dims.elements / kWidth), kElementwiseThreads,
                 stream, operands, dims);
  }
  return start(combine_strided<T, Combine>, elementwise_blocks(dims.elements), kElementwiseThreads, stream, operands,
               dims);
}

}  // namespace

cudaError_t launch_pairs(PairOperation operation, Dtype dtype, const PairOperands& operands, int64_t count,
                         cudaStream_t stream) {
  return dispatch_numbers_by_size(dtype, [&](auto zero) {
    using T = decltype(zero);
    return operation == PairOperation::kAdd ? launch_dense<T, Add>(operands, count, stream)
                                            : launch_dense<T, MultiplyThenAdd>(operands, count, stream);
  });
}

cudaError_t launch_pairs(PairOperation operation, Dtype dtype, const PairOperands& operands, const TripleDims& dims,
                         cudaStream_t stream) {
  return dispatch_numbers_by_size(dtype, [&](auto zero) {
    using T = decltype(zero);
    return operation == PairOperation::kAdd ? launch_strided<T, Add>(operands, dims, stream)
                                            : launch_strided<T, MultiplyThenAdd>(operands, dims, stream);
  });
}

}  // namespace myops::cuda
