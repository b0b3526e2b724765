// Arrays as a kernel sees them: somewhere in memory, at an alignment that is asked for, with marked bytes around them,
// and behind those pages that end the program when they are touched.
#pragma once

#include <sys/mman.h>

#include <cstring>

#include "backend_cuda/dtype.h"
#include "backend_cuda/rows.h"
#include "tests/ops/oracle.h"

namespace myops::testing {

template <class T>
constexpr cuda::Dtype dtype_of() {
  if constexpr (std::is_same_v<T, c10::Half>) return cuda::Dtype::kHalf;
  if constexpr (std::is_same_v<T, c10::BFloat16>) return cuda::Dtype::kBFloat16;
  if constexpr (std::is_same_v<T, float>) return cuda::Dtype::kFloat;
  if constexpr (std::is_same_v<T, double>) return cuda::Dtype::kDouble;
  if constexpr (std::is_same_v<T, bool>) return cuda::Dtype::kBool;
  if constexpr (std::is_same_v<T, uint8_t>) return cuda::Dtype::kByte;
  if constexpr (std::is_same_v<T, int8_t>) return cuda::Dtype::kChar;
  if constexpr (std::is_same_v<T, int16_t>) return cuda::Dtype::kShort;
  if constexpr (std::is_same_v<T, int32_t>) return cuda::Dtype::kInt;
  return cuda::Dtype::kLong;
}

// Memory between two stretches that can be neither read nor written.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    void* all = mmap(nullptr, bytes_ + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    first_ = static_cast<unsigned char*>(all) + kGuard;
    if (all == MAP_FAILED || mprotect(first_, bytes_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedMemory() { munmap(first_ - kGuard, bytes_ + 2 * kGuard); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  unsigned char* begin() const { return first_; }
  unsigned char* end() const { return first_ + bytes_; }

 private:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kGuard = 256 * kPage;
  size_t bytes_;
  unsigned char* first_;
};

// Aligned to 16 bytes, or `shift` elements behind such a place, and near the end of its memory. Bytes before and behind
// it are watched: call intact(). Whoever reads them gets NaN, or -1.
template <class T>
class Array {
 public:
  explicit Array(size_t count, size_t shift = 0) : count_(count), memory_(count * sizeof(T) + 2 * kMargin) {
    std::memset(memory_.begin(), kMark, static_cast<size_t>(memory_.end() - memory_.begin()));
    auto place = reinterpret_cast<uintptr_t>(memory_.end()) - kMargin - count * sizeof(T);
    place = place / 16 * 16 + shift * sizeof(T);
    data_ = reinterpret_cast<T*>(place);
  }
  Array(const std::vector<T>& values, size_t shift = 0) : Array(values.size(), shift) {
    std::copy(values.begin(), values.end(), data_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() { return data_; }
  std::vector<T> values() const { return std::vector<T>(data_, data_ + count_); }

  bool intact() const {
    const auto* first = reinterpret_cast<const unsigned char*>(data_);
    const auto is_mark = [](unsigned char byte) { return byte == kMark; };
    const unsigned char* begin = memory_.begin();
    const unsigned char* end = memory_.end();
    return std::all_of(begin, first, is_mark) && std::all_of(first + count_ * sizeof(T), end, is_mark);
  }

 private:
  static constexpr size_t kMargin = 64;  // also room for the alignment and the shift
  static constexpr unsigned char kMark = 0xff;

  size_t count_;
  GuardedMemory memory_;
  T* data_;
};

// Rows of `size` elements, each `row_stride` behind the other.
inline cuda::Rows rows_at(const void* data, int64_t rows, int64_t row_stride, int64_t stride = 1) {
  cuda::Rows out;
  out.data = data;
  out.dims.append(rows, row_stride);
  out.stride = stride;
  return out;
}

}  // namespace myops::testing
