// CUDA kernels on the host, one thread of the GPU after the other: what a kernel computes and where it reads and writes
// can be tested without a GPU. Included before the .cu file that it is for.
//
// Each GPU thread is a fiber; it runs until it waits for others and goes on when all of its block (__syncthreads) or
// warp (a shuffle) are there. Threads that wait at different places end the program, as they would hang a GPU. Not
// emulated: time, memory that others see late.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <functional>

#include "backend_cuda/launch.cuh"

#undef __shared__
#define __shared__ static  // one block runs at a time
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __global__
#define __global__
#undef __device__
#define __device__
#undef __grid_constant__
#define __grid_constant__

namespace myops::emulation {

struct Index {
  unsigned x = 0;
};

inline Index thread_index, block_index, block_size, grid_size;

enum class Wait { kBlock, kShuffle };

// Lets the other threads of the block come to this place.
void wait(Wait place);

// What thread `of` of this thread's warp gave: 8 bytes at most.
void exchange(const void* given, void* got, unsigned size, unsigned of);

// Runs `body` once for each thread of a grid.
void run(unsigned blocks, unsigned threads, const std::function<void()>& body);

// In which order blocks run, and the threads of a block between two waits: a result that depends on it is a race.
// kForwards and kBackwards turn round after each wait.
enum class Order { kForwards, kBackwards, kShuffled };
inline Order order = Order::kForwards;

// What every GPU takes.
inline constexpr unsigned kMaxBlocks = 0x7fffffff;
inline constexpr unsigned kMaxThreads = 1024;

// The blocks of the kernel that was started last: tells tests which path was taken.
inline unsigned last_blocks = 0;

}  // namespace myops::emulation

#define threadIdx myops::emulation::thread_index
#define blockIdx myops::emulation::block_index
#define blockDim myops::emulation::block_size
#define gridDim myops::emulation::grid_size

inline void __syncthreads() { myops::emulation::wait(myops::emulation::Wait::kBlock); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int lanes) {
  T got;
  myops::emulation::exchange(&value, &got, sizeof(T), (threadIdx.x % 32) ^ static_cast<unsigned>(lanes));
  return got;
}

namespace myops::cuda {

template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t,
                  const Arguments&... arguments) {
  static_assert(are_parameters_of_a_kernel<Parameters...>());
  if (blocks == 0 || blocks > emulation::kMaxBlocks || threads == 0 || threads > emulation::kMaxThreads) {
    return cudaErrorInvalidConfiguration;
  }
  emulation::last_blocks = blocks;
  emulation::run(blocks, threads, [&] { kernel(arguments...); });
  return cudaSuccess;
}

}  // namespace myops::cuda
