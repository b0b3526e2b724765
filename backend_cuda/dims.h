// Sizes and strides of a strided array as a value that can be handed to a kernel, and the way from an element's number
// to its offset. Knows sizes and strides only.
#pragma once

#include <cstdint>

#include "backend_cuda/host_device.h"

namespace myops::cuda {

inline constexpr int kMaxDims = 64;  // as torch's own kernels

// What is not negative divided by what is positive. GPUs have no divider for 64 bits: where 32 are enough, they are
// several times faster.
MYOPS_HD inline int64_t divide(int64_t number, int64_t divisor) {
  if (((number | divisor) >> 32) == 0) {
    return static_cast<uint32_t>(number) / static_cast<uint32_t>(divisor);
  }
  return number / divisor;
}

// Dimensions, outermost first, numbered in row-major order. Those of size 1 are left out, and neighbours that can be
// walked as one are one, so a dense array of any rank has one dimension. Strides are in elements.
struct Dims {
  int64_t size[kMaxDims];
  int64_t stride[kMaxDims];
  int count = 0;
  int64_t elements = 1;

  void append(int64_t dim_size, int64_t dim_stride) {
    elements *= dim_size;
    if (dim_size == 1) {
      return;
    }
    if (count > 0 && stride[count - 1] == dim_size * dim_stride) {
      size[count - 1] *= dim_size;
      stride[count - 1] = dim_stride;
      return;
    }
    size[count] = dim_size;
    stride[count] = dim_stride;
    ++count;
  }

  // Not for empty arrays.
  MYOPS_HD int64_t offset_of(int64_t element) const {
    int64_t offset = 0;
    for (int d = count - 1; d > 0; --d) {
      const int64_t rest = divide(element, size[d]);
      offset += (element - rest * size[d]) * stride[d];
      element = rest;
    }
    return count == 0 ? 0 : offset + element * stride[0];
  }
};

// Three arrays of the same sizes: the result and the operands of an elementwise operator. Strides are in bytes.
struct TripleDims {
  int64_t size[kMaxDims];
  int64_t stride[3][kMaxDims];
  int count = 0;
  int64_t elements = 1;

  // Byte offsets of an element in each array. Not for empty arrays.
  MYOPS_HD void offsets_of(int64_t element, int64_t (&offsets)[3]) const {
    offsets[0] = offsets[1] = offsets[2] = 0;
    for (int d = count - 1; d >= 0; --d) {
      const int64_t rest = d == 0 ? 0 : divide(element, size[d]);
      const int64_t index = element - rest * size[d];
      for (int array = 0; array < 3; ++array) {
        offsets[array] += index * stride[array][d];
      }
      element = rest;
    }
  }
};

}  // namespace myops::cuda
