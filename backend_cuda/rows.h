// The rows of a tensor as a kernel takes them, and whether they can be read in packs of 16 bytes.
#pragma once

#include <array>
#include <cstddef>

#include "backend_cuda/dims.h"

namespace myops::cuda {

inline constexpr int64_t kPackBytes = 16;  // the widest access that a thread makes

// `dims` numbers the rows, the elements of a row lie `stride` apart.
struct Rows {
  const void* data = nullptr;
  Dims dims;
  int64_t stride = 1;
};

// A vector of as many elements as a row has; null data: there is none.
struct Parameter {
  const void* data = nullptr;
  int64_t stride = 1;
};

inline bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % kPackBytes == 0; }

// `size`: elements of a row.
inline bool fits_packs(const Rows& rows, int64_t size, int64_t element_bytes) {
  if (rows.stride != 1 || !is_aligned(rows.data) || size * element_bytes % kPackBytes != 0) {
    return false;
  }
  for (int d = 0; d < rows.dims.count; ++d) {
    if (rows.dims.stride[d] * element_bytes % kPackBytes != 0) {
      return false;
    }
  }
  return true;
}

// Of three arrays whose innermost dimension is dense, or, for the operands, repeats one element.
inline bool fits_packs(const TripleDims& dims, const std::array<const void*, 3>& data, int64_t element_bytes) {
  const int last = dims.count - 1;
  if (last < 0 || dims.size[last] * element_bytes % kPackBytes != 0) {
    return false;
  }
  for (int array = 0; array < 3; ++array) {
    const int64_t inner = dims.stride[array][last];
    if (array > 0 && inner == 0) {
      continue;  // read one by one
    }
    if (inner != element_bytes || !is_aligned(data[static_cast<std::size_t>(array)])) {
      return false;
    }
    for (int d = 0; d < last; ++d) {
      if (dims.stride[array][d] % kPackBytes != 0) {
        return false;
      }
    }
  }
  return true;
}

inline bool fits_packs(const Parameter& parameter) {
  return parameter.data == nullptr || (parameter.stride == 1 && is_aligned(parameter.data));
}

}  // namespace myops::cuda
