// Which type each dtype is computed in, and the way there and back; packs of neighbouring elements.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "backend_cuda/round_to_odd.h"
#include "backend_cuda/rows.h"

namespace myops::cuda {

// float for float16, bfloat16 and float32; double for double; for integers and bool an unsigned type, which wraps
// around.
template <class T>
using Wide = std::conditional_t<
    std::is_same_v<T, double>, double,
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, float>>;

__device__ inline float widen(__half value) { return __half2float(value); }
__device__ inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline float widen(float value) { return value; }
__device__ inline double widen(double value) { return value; }
template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
__device__ Wide<T> widen(T value) {
  return static_cast<Wide<T>>(value);
}

// Rounds once, to nearest, ties to even.
template <class T, class From>
__device__ T narrow(From value) {
  if constexpr (std::is_same_v<From, double> && (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>)) {
    return narrow<T>(round_to_odd(value));
  } else if constexpr (std::is_same_v<T, __half>) {
    return __float2half_rn(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16_rn(value);
  } else {
    return static_cast<T>(value);
  }
}

// As many elements as fit into one access of 16 bytes.
template <class T>
inline constexpr int kElementsPerPack = static_cast<int>(kPackBytes / sizeof(T));

// Neighbouring elements that are read and written at once: kWidth · sizeof(T) is a power of two up to 16.
template <class T, int kWidth>
struct alignas(kWidth * sizeof(T)) Pack {
  T values[kWidth];
};

// One lane's next packs: `pack`, pack + lanes, … of those before `packs`; zeros for what is not there. All are asked
// for at once, since memory is far away.
template <int kAtOnce, class T, int kWidth>
__device__ void read_packs(const Pack<T, kWidth>* from, int64_t pack, int lanes, int64_t packs,
                           Pack<T, kWidth> (&values)[kAtOnce]) {
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) {
    values[k] = pack + k * lanes < packs ? from[pack + k * lanes] : Pack<T, kWidth>{};
  }
}

}  // namespace myops::cuda
