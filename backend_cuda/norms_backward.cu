// The kernels of rms_norm_backward and layer_norm_backward: gradients of the input, row by row, and the moments of the
// rows for column_sums.cu.
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/norms.h"
#include "backend_cuda/row_moments.cuh"

namespace myops::cuda {
namespace {

// Of two rows half as much stays in registers: what two blocks of 512 threads on a multiprocessor leave to each.
template <class T, int kWidth>
using Row = CachedRow<T, kWidth, kCachedPacks<kWidth> / 2>;

template <Norm kNorm, class T, int kWidth>
__device__ RowGradient<Wide<T>> gradient_of(const Row<T, kWidth>& grad, const Row<T, kWidth>& input,
                                            const Moments<Wide<T>>& moments, const Parameter& parameter,
                                            const RowCall& call, RowShared<Wide<T>>& shared) {
  using W = Wide<T>;
  LaneSums<W, 2> sums;  // Σ g, Σ g · (input - mean)
  grad.for_each_with(
      input,
      [&](int64_t pack, const Pack<T, kWidth>& dy, const Pack<T, kWidth>& x) {
        W weight[kWidth];
        read_parameter<T, kWidth>(parameter, pack, W(1), weight);
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const W g = widen(dy.values[k]) * weight[k];
          sums.recent[0] += g;
          sums.recent[1] += g * (widen(x.values[k]) - moments.mean);
        }
      },
      [&] { sums.end_batch(); });
  return finish_lanes(sums, call.one_batch, call.lanes, shared.sums, shared.gradient, [&](const double (&totals)[2]) {
    if constexpr (kNorm == Norm::kRms) {
      return rms_gradient(totals[1], moments, call.per_element);
    } else {
      return layer_gradient(totals[0], totals[1], moments, call.per_element);
    }
  });
}

template <class T, int kWidth>
__device__ void write_row(const Row<T, kWidth>& grad, const Row<T, kWidth>& input, const Moments<Wide<T>>& moments,
                          const RowGradient<Wide<T>>& gradient, const NormBackward& call, T* output) {
  using W = Wide<T>;
  grad.for_each_with(
      input,
      [&](int64_t pack, const Pack<T, kWidth>& dy, const Pack<T, kWidth>& x) {
        W weight[kWidth];
        read_parameter<T, kWidth>(call.weight, pack, W(1), weight);
        Pack<T, kWidth> result;
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
          const W g = widen(dy.values[k]) * weight[k];
          result.values[k] = narrow<T>(input_gradient(g, static_cast<W>(widen(x.values[k])), moments, gradient));
        }
        write_pack<T, kWidth>(output, pack, result);
      },
      [] {});
}

template <class T, int kWidth, Norm kNorm>
__global__ void __launch_bounds__(kMaxLanes)
    norm_backward_kernel(const __grid_constant__ NormBackward call, RowShape shape, RowCall each) {
  __shared__ RowShared<Wide<T>> shared;
  const Lane lane{static_cast<int>(threadIdx.x) % shape.lanes, shape.lanes};
  const int slot = static_cast<int>(threadIdx.x) / shape.lanes;
  const int64_t step = static_cast<int64_t>(gridDim.x) * shape.rows_per_block;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * shape.rows_per_block; first < call.rows; first += step) {
    const bool exists = first + slot < call.rows;  // a thread without a row still takes part in the sums
    const int64_t index = exists ? first + slot : 0;
    const int64_t packs = exists ? call.size / kWidth : 0;
    Row<T, kWidth> input(static_cast<const T*>(call.input.data) + call.input.dims.offset_of(index), call.input.stride,
                         packs, lane);
    Row<T, kWidth> grad(static_cast<const T*>(call.grad.data) + call.grad.dims.offset_of(index), call.grad.stride,
                        packs, lane);
    input.read();
    if (call.grad_input != nullptr) {
      grad.read();
    }
    const auto moments = moments_of<kNorm>(input, each, shared);
    if (call.moments != nullptr && exists && lane.index == 0) {
      static_cast<Moments<Wide<T>>*>(call.moments)[index] = moments;
    }
    if (call.grad_input != nullptr) {
      const auto gradient = gradient_of<kNorm>(grad, input, moments, call.weight, each, shared);
      write_row(grad, input, moments, gradient, call, static_cast<T*>(call.grad_input) + index * call.size);
    }
  }
}

template <class T, int kWidth>
cudaError_t launch_rows(Norm norm, const NormBackward& call, cudaStream_t stream) {
  const RowShape shape = row_shape(call.size / kWidth, kWidth == 1 ? 4 : 2);
  const unsigned blocks = shape.blocks(call.rows);
  const auto threads = static_cast<unsigned>(shape.threads());
  const RowCall each = row_call<Row<T, kWidth>>(call, shape);
  if (norm == Norm::kRms) {
    return start(norm_backward_kernel<T, kWidth, Norm::kRms>, blocks, threads, stream, call, shape, each);
  }
  return start(norm_backward_kernel<T, kWidth, Norm::kLayer>, blocks, threads, stream, call, shape, each);
}

}  // namespace

cudaError_t launch_norm_backward(Norm norm, Dtype dtype, const NormBackward& call, cudaStream_t stream) {
  return dispatch_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool packs = fits_packs(call.input, call.size, sizeof(T)) && fits_packs(call.grad, call.size, sizeof(T)) &&
                       fits_packs(call.weight) && (call.grad_input == nullptr || is_aligned(call.grad_input));
    return packs ? launch_rows<T, kElementsPerPack<T>>(norm, call, stream) : launch_rows<T, 1>(norm, call, stream);
  });
}

}  // namespace myops::cuda
