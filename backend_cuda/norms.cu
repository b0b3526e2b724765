// The kernels of rms_norm, layer_norm, add_rms_norm and add_layer_norm: some threads of a warp, a warp or a block for
// each row.
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/norms.h"
#include "backend_cuda/row_moments.cuh"

namespace myops::cuda {
namespace {

// input + residual, rounded, as it is also written to `sum`.
template <class T, int kWidth>
struct AddedRows {
  const T* input;
  int64_t input_stride;
  const T* residual;
  int64_t residual_stride;
  T* sum;

  __device__ Pack<T, kWidth> operator()(int64_t pack) const {
    const auto a = read_pack<T, kWidth>(input, input_stride, pack);
    const auto b = read_pack<T, kWidth>(residual, residual_stride, pack);
    Pack<T, kWidth> added;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      added.values[k] = narrow<T>(widen(a.values[k]) + widen(b.values[k]));
    }
    write_pack<T, kWidth>(sum, pack, added);
    return added;
  }
};

template <class T, int kWidth, Norm kNorm>
__device__ void write_row(const CachedRow<T, kWidth>& row, const Moments<Wide<T>>& moments, const NormForward& call,
                          T* output) {
  using W = Wide<T>;
  row.for_each(
      [&](int64_t pack, const Pack<T, kWidth>& elements) {
        W weight[kWidth];
        W bias[kWidth];
        read_parameter<T, kWidth>(call.weight, pack, W(1), weight);
        read_parameter<T, kWidth>(call.bias, pack, W(0), bias);
        Pack<T, kWidth> result;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const W x = widen(elements.values[k]);
          if constexpr (kNorm == Norm::kRms) {
            result.values[k] = narrow<T>(x * moments.scale * weight[k]);
          } else {
            result.values[k] = narrow<T>(normalised(x, moments) * weight[k] + bias[k]);
          }
        }
        write_pack<T, kWidth>(output, pack, result);
      },
      [] {});
}

template <class T, int kWidth, Norm kNorm, bool kAdds>
__global__ void __launch_bounds__(kMaxLanes)
    norm_kernel(const __grid_constant__ NormForward call, RowShape shape, RowCall each) {
  __shared__ RowShared<Wide<T>> shared;
  const Lane lane{static_cast<int>(threadIdx.x) % shape.lanes, shape.lanes};
  const int slot = static_cast<int>(threadIdx.x) / shape.lanes;
  const int64_t step = static_cast<int64_t>(gridDim.x) * shape.rows_per_block;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * shape.rows_per_block; first < call.rows; first += step) {
    const bool exists = first + slot < call.rows;  // a thread without a row still takes part in the sums
    const int64_t index = exists ? first + slot : 0;
    const int64_t packs = exists ? call.size / kWidth : 0;
    const T* input = static_cast<const T*>(call.input.data) + call.input.dims.offset_of(index);
    T* sum = kAdds ? static_cast<T*>(call.sum) + index * call.size : nullptr;
    CachedRow<T, kWidth> row(kAdds ? sum : input, kAdds ? 1 : call.input.stride, packs, lane);
    if constexpr (kAdds) {
      const T* residual = static_cast<const T*>(call.residual.data) + call.residual.dims.offset_of(index);
      row.fill(AddedRows<T, kWidth>{input, call.input.stride, residual, call.residual.stride, sum});
    } else {
      row.read();
    }
    const auto moments = moments_of<kNorm>(row, each, shared);
    write_row<T, kWidth, kNorm>(row, moments, call, static_cast<T*>(call.output) + index * call.size);
  }
}

template <class T, int kWidth, Norm kNorm, bool kAdds>
cudaError_t launch(const NormForward& call, cudaStream_t stream) {
  const RowShape shape = row_shape(call.size / kWidth, kWidth == 1 ? 4 : 2);
  return start(norm_kernel<T, kWidth, kNorm, kAdds>, shape.blocks(call.rows), static_cast<unsigned>(shape.threads()),
               stream, call, shape, row_call<CachedRow<T, kWidth>>(call, shape));
}

template <class T, int kWidth>
cudaError_t launch_kind(Norm norm, const NormForward& call, cudaStream_t stream) {
  const bool adds = call.residual.data != nullptr;
  if (norm == Norm::kRms) {
    return adds ? launch<T, kWidth, Norm::kRms, true>(call, stream)
                : launch<T, kWidth, Norm::kRms, false>(call, stream);
  }
  return adds ? launch<T, kWidth, Norm::kLayer, true>(call, stream)
              : launch<T, kWidth, Norm::kLayer, false>(call, stream);
}

}  // namespace

cudaError_t launch_norm(Norm norm, Dtype dtype, const NormForward& call, cudaStream_t stream) {
  return dispatch_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool packs = fits_packs(call.input, call.size, sizeof(T)) &&
                       (call.residual.data == nullptr || fits_packs(call.residual, call.size, sizeof(T))) &&
                       fits_packs(call.weight) && fits_packs(call.bias) && is_aligned(call.output) &&
                       (call.sum == nullptr || is_aligned(call.sum));
    return packs ? launch_kind<T, kElementsPerPack<T>>(norm, call, stream) : launch_kind<T, 1>(norm, call, stream);
  });
}

}  // namespace myops::cuda
