// How a kernel is started: the one place, so that tests can run kernels on the host instead (tests/cuda/).
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

namespace myops::cuda {

// What every GPU takes as a kernel's parameters, in bytes.
inline constexpr size_t kMaxParameterBytes = 4096;

template <class... Parameters>
constexpr bool are_parameters_of_a_kernel() {
  return sizeof(std::tuple<Parameters...>) <= kMaxParameterBytes;
}

#ifdef __CUDACC__
// The error is that of this very start, not cudaGetLastError()'s: that one may be an earlier call's of another library.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
                  const Arguments&... arguments) {
  static_assert(are_parameters_of_a_kernel<Parameters...>());
  std::tuple<Parameters...> parameters(arguments...);
  const cudaError_t error = std::apply(
      [&](auto&... parameter) {
        void* addresses[] = {&parameter...};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), addresses, 0,
                                stream);
      },
      parameters);
  if (error != cudaSuccess) {
    cudaGetLastError();  // it is told already: nobody shall find it again
  }
  return error;
}
#endif

}  // namespace myops::cuda
