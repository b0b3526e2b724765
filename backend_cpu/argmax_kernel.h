// The index of the largest value along one dimension: the first among equals, and NaN above everything.
#pragma once

#include "backend_cpu/number_conversion.h"
#include "backend_cpu/reduction.h"

namespace myops::cpu {

template <class T>
class Argmax {
 public:
  // `reduction` has one reduced dimension, not empty. `output` is contiguous, in the order of its results.
  Argmax(const T* input, const Reduction& reduction, int64_t* output)
      : input_(input),
        reduction_(reduction),
        output_(output),
        tiles_((reduction.columns + kColumnsPerPiece - 1) / kColumnsPerPiece) {}

  int64_t pieces() const { return reduction_.outer.elements * tiles_; }
  int64_t elements_per_piece() const {
    return std::min<int64_t>(reduction_.columns, kColumnsPerPiece) * reduction_.terms.elements;
  }

  // Pieces `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    StridedWalk walk(reduction_.outer, begin / tiles_);
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t column = piece % tiles_ * kColumnsPerPiece;
      const T* data = input_ + walk.offset() + column * reduction_.column_stride;
      int64_t* output = output_ + piece / tiles_ * reduction_.columns + column;
      if (reduction_.columns == 1) {
        *output = largest_of_row(data);
      } else {
        largest_of_columns(data, std::min(kColumnsPerPiece, reduction_.columns - column), output);
      }
      if (piece % tiles_ == tiles_ - 1) {
        walk.next();
      }
    }
  }

 private:
  static constexpr int64_t kColumnsPerPiece = 256;
  using Value = std::conditional_t<std::is_integral_v<T>, T, Wide<T>>;  // wide integers would lose the sign

  static Value value_of(T element) {
    if constexpr (std::is_integral_v<T>) {
      return element;
    } else {
      return widen(element);
    }
  }
  static bool is_larger(Value value, Value best) { return value > best || (value != value && best == best); }

  int64_t stride() const { return reduction_.terms.count == 0 ? 0 : reduction_.terms.stride[0]; }

  int64_t largest_of_row(const T* data) const {
    const int64_t step = stride();
    Value best = value_of(data[0]);
    int64_t index = 0;
    for (int64_t i = 1; i < reduction_.terms.elements; ++i) {
      const Value value = value_of(data[i * step]);
      if (is_larger(value, best)) {
        best = value;
        index = i;
      }
    }
    return index;
  }

  void largest_of_columns(const T* data, int64_t columns, int64_t* output) const {
    Value best[kColumnsPerPiece];
    const int64_t column_stride = reduction_.column_stride;
    for (int64_t c = 0; c < columns; ++c) {
      best[c] = value_of(data[c * column_stride]);
      output[c] = 0;
    }
    for (int64_t i = 1; i < reduction_.terms.elements; ++i) {
      const T* row = data + i * stride();
      for (int64_t c = 0; c < columns; ++c) {
        const Value value = value_of(row[c * column_stride]);
        const bool larger = is_larger(value, best[c]);
        best[c] = larger ? value : best[c];
        output[c] = larger ? i : output[c];
      }
    }
  }

  const T* input_;
  Reduction reduction_;
  int64_t* output_;
  int64_t tiles_;
};

}  // namespace myops::cpu
