// Walks the elements of a strided array in row-major order and tells their offsets. Knows sizes and strides only.
#pragma once

#include <cstdint>

namespace myops::cpu {

inline constexpr int kMaxDims = 64;  // as torch's own kernels

// Sizes and strides (in elements) of some dimensions, outermost first. Dimensions of size 1 are left out, and
// neighbours that can be walked as one are one, so a dense array of any rank has one dimension.
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
};

// Starts at element `start` of `dims`, which must stay alive. Not for empty arrays.
class StridedWalk {
 public:
  StridedWalk(const Dims& dims, int64_t start) : dims_(dims) {
    for (int d = dims.count - 1; d >= 0; --d) {
      index_[d] = start % dims.size[d];
      start /= dims.size[d];
      offset_ += index_[d] * dims.stride[d];
    }
  }

  int64_t offset() const { return offset_; }

  void next() { skip(1); }

  // How many elements are left in the innermost dimension, this one included: they lie inner_stride() apart.
  int64_t run() const { return dims_.count == 0 ? 1 : dims_.size[dims_.count - 1] - index_[dims_.count - 1]; }
  int64_t inner_stride() const { return dims_.count == 0 ? 0 : dims_.stride[dims_.count - 1]; }

  // Moves on by at most run() elements.
  void skip(int64_t elements) {
    int d = dims_.count - 1;
    if (d < 0) {
      return;
    }
    index_[d] += elements;
    offset_ += elements * dims_.stride[d];
    for (; d > 0 && index_[d] == dims_.size[d]; --d) {
      offset_ += dims_.stride[d - 1] - index_[d] * dims_.stride[d];
      index_[d] = 0;
      ++index_[d - 1];
    }
  }

 private:
  const Dims& dims_;
  int64_t index_[kMaxDims];
  int64_t offset_ = 0;
};

}  // namespace myops::cpu
