// Rows as contiguous values of the type they are computed in: the memory itself where it is that already, a copy
// otherwise.
#pragma once

#include <memory>
#include <vector>

#include "backend_cpu/row_conversion.h"
#include "backend_cpu/strided_walk.h"

namespace myops::cpu {

// The rows of an input: `dims` walks them, the elements of a row lie `stride` apart.
template <class T>
struct Rows {
  const T* data;
  Dims dims;
  int64_t stride;
};

// Not filled: a row that is read and written in place leaves its pages untouched.
template <class T>
auto row_buffer(int64_t size) {
  return std::make_unique_for_overwrite<Wide<T>[]>(size);
}

// `buffer` has room for `size` values and is used only if needed.
template <class T>
const Wide<T>* read_row(const T* row, int64_t stride, int64_t size, Wide<T>* buffer) {
  if (stride == 1) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      return row;
    }
    widen_row(row, size, buffer);
  } else {
    for (int64_t i = 0; i < size; ++i) {
      buffer[i] = widen(row[i * stride]);
    }
  }
  return buffer;
}

// Where to compute a contiguous output row: in place, or in `buffer`. write_row() then brings it to `row`.
template <class T>
Wide<T>* output_row(T* row, Wide<T>* buffer) {
  if constexpr (std::is_same_v<T, Wide<T>>) {
    return row;
  } else {
    return buffer;
  }
}

template <class T>
void write_row(const Wide<T>* values, int64_t size, T* row) {
  if constexpr (!std::is_same_v<T, Wide<T>>) {
    narrow_row(values, size, row);
  }
}

// A weight or bias, or a constant where there is none.
template <class T>
class RowParameter {
 public:
  // `data` may be null: then every value is `absent`. It must outlive this.
  RowParameter(const T* data, int64_t stride, int64_t size, Wide<T> absent) {
    if (data == nullptr) {
      copy_.assign(size, absent);
      values_ = copy_.data();
      return;
    }
    const bool in_place = std::is_same_v<T, Wide<T>> && stride == 1;
    copy_.resize(in_place ? 0 : size);
    values_ = read_row(data, stride, size, copy_.data());
  }
  RowParameter(const RowParameter&) = delete;
  RowParameter& operator=(const RowParameter&) = delete;

  const Wide<T>* values() const { return values_; }

 private:
  std::vector<Wide<T>> copy_;
  const Wide<T>* values_;
};

}  // namespace myops::cpu
