// How a kernel is started: the one place, so that tests can run kernels on the host instead (tests/cuda/).
#pragma once

#include <cuda_runtime_api.h>

namespace myops::cuda {

#ifdef __CUDACC__
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
                  const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
  return cudaGetLastError();
}
#endif

}  // namespace myops::cuda
