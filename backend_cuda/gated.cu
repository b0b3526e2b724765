// The kernels of silu_and_mul, gelu_and_mul and their gradients: elementwise over halves of rows, in packs of 16 bytes
// where pointers and strides allow them.
#include "backend_cuda/dispatch.cuh"
#include "backend_cuda/gated.h"
#include "backend_cuda/gelu_and_mul_math.h"
#include "backend_cuda/launch.cuh"
#include "backend_cuda/launch_shape.h"
#include "backend_cuda/row_reader.cuh"

namespace myops::cuda {
namespace {

template <class T, int kWidth, class Function>
__global__ void gated_kernel(const __grid_constant__ Gated call) {
  const int64_t packs = call.half / kWidth;  // of a half row
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < call.rows * packs; i += step) {
    const int64_t row = divide(i, packs);
    const int64_t pack = i - row * packs;
    const T* halves = static_cast<const T*>(call.input.data) + call.input.dims.offset_of(row);
    const auto a = read_pack<T, kWidth>(halves, call.input.stride, pack);
    const auto b = read_pack<T, kWidth>(halves + call.half * call.input.stride, call.input.stride, pack);
    Pack<T, kWidth> result;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      result.values[k] = narrow<T>(Function::value(widen(a.values[k])) * widen(b.values[k]));
    }
    write_pack<T, kWidth>(static_cast<T*>(call.output) + row * call.half, pack, result);
  }
}

// d a = grad · activation'(a) · b,   d b = grad · activation(a)
template <class T, int kWidth, class Function>
__global__ void gated_backward_kernel(const __grid_constant__ GatedBackward call) {
  const int64_t packs = call.half / kWidth;  // of a half row
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < call.rows * packs; i += step) {
    const int64_t row = divide(i, packs);
    const int64_t pack = i - row * packs;
    const T* halves = static_cast<const T*>(call.input.data) + call.input.dims.offset_of(row);
    const T* grads = static_cast<const T*>(call.grad.data) + call.grad.dims.offset_of(row);
    const auto a = read_pack<T, kWidth>(halves, call.input.stride, pack);
    const auto b = read_pack<T, kWidth>(halves + call.half * call.input.stride, call.input.stride, pack);
    const auto dy = read_pack<T, kWidth>(grads, call.grad.stride, pack);
    Pack<T, kWidth> da;
    Pack<T, kWidth> db;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
      const auto activation = Function::value_and_slope(widen(a.values[k]));
      const auto slope = widen(dy.values[k]);
      da.values[k] = narrow<T>(slope * (activation.slope * widen(b.values[k])));
      db.values[k] = narrow<T>(slope * activation.value);
    }
    T* output = static_cast<T*>(call.grad_input) + row * 2 * call.half;
    write_pack<T, kWidth>(output, pack, da);
    write_pack<T, kWidth>(output + call.half, pack, db);
  }
}

template <class T, int kWidth, class Function>
cudaError_t launch(const Gated& call, cudaStream_t stream) {
  const unsigned blocks = elementwise_blocks(call.rows * (call.half / kWidth));
  return start(gated_kernel<T, kWidth, Function>, blocks, kElementwiseThreads, stream, call);
}

template <class T, int kWidth, class Function>
cudaError_t launch(const GatedBackward& call, cudaStream_t stream) {
  const unsigned blocks = elementwise_blocks(call.rows * (call.half / kWidth));
  return start(gated_backward_kernel<T, kWidth, Function>, blocks, kElementwiseThreads, stream, call);
}

template <class T, int kWidth, class Call>
cudaError_t launch_function(Activation activation, const Call& call, cudaStream_t stream) {
  switch (activation) {
    case Activation::kSilu:
      return launch<T, kWidth, Silu>(call, stream);
    case Activation::kGelu:
      return launch<T, kWidth, Gelu>(call, stream);
    case Activation::kGeluTanh:
      return launch<T, kWidth, GeluTanh>(call, stream);
  }
  return cudaErrorInvalidValue;
}

// The second half of a row begins where a pack does.
bool halves_fit_packs(const Rows& input, int64_t half, int64_t element_bytes) {
  return fits_packs(input, 2 * half, element_bytes) && half * element_bytes % kPackBytes == 0;
}

}  // namespace

cudaError_t launch_gated(Activation activation, Dtype dtype, const Gated& call, cudaStream_t stream) {
  return dispatch_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool packs = halves_fit_packs(call.input, call.half, sizeof(T)) && is_aligned(call.output);
    return packs ? launch_function<T, kElementsPerPack<T>>(activation, call, stream)
                 : launch_function<T, 1>(activation, call, stream);
  });
}

cudaError_t launch_gated_backward(Activation activation, Dtype dtype, const GatedBackward& call, cudaStream_t stream) {
  return dispatch_floating(dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool packs = halves_fit_packs(call.input, call.half, sizeof(T)) &&
                       fits_packs(call.grad, call.half, sizeof(T)) && is_aligned(call.grad_input);
    return packs ? launch_function<T, kElementsPerPack<T>>(activation, call, stream)
                 : launch_function<T, 1>(activation, call, stream);
  });
}

}  // namespace myops::cuda
