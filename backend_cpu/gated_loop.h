// activation(a) · b, where a and b are the halves of each row, and the gradient of that. Activation is a struct like
// Silu of silu_and_mul_kernel.h. Knows no activation by name.
#pragma once

#include <algorithm>

#include "backend_cpu/row_values.h"

namespace myops::cpu {

// Where the work is cut: some neighbouring columns of a row. Small enough for the first level of cache.
inline constexpr int64_t kGatedColumnsPerPiece = 1024;

// The pieces of rows of `half` columns, in order. Walks no row where there is no column.
class GatedPieces {
 public:
  GatedPieces(int64_t rows, int64_t half)
      : half_(half), tiles_((half + kGatedColumnsPerPiece - 1) / kGatedColumnsPerPiece), count_(rows * tiles_) {}

  int64_t count() const { return count_; }
  int64_t elements() const { return std::min(half_, kGatedColumnsPerPiece); }  // of each piece, at most

  // body(row, column, columns) for the pieces from `begin` to `end`; next_row() between rows.
  template <class NextRow, class Body>
  void for_each(int64_t begin, int64_t end, const NextRow& next_row, const Body& body) const {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t tile = piece % tiles_;
      const int64_t column = tile * kGatedColumnsPerPiece;
      body(piece / tiles_, column, std::min(kGatedColumnsPerPiece, half_ - column));
      if (tile == tiles_ - 1) {
        next_row();
      }
    }
  }
  int64_t row_of(int64_t piece) const { return piece / tiles_; }

 private:
  int64_t half_;
  int64_t tiles_;
  int64_t count_;
};

template <class T, class Activation>
struct GatedProduct {
  Rows<T> input;  // rows of 2 · half
  T* output;      // contiguous
  int64_t half;
  GatedPieces pieces;

  // Pieces from `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    StridedWalk walk(input.dims, pieces.row_of(begin));
    pieces.for_each(
        begin, end, [&] { walk.next(); },
        [&](int64_t row, int64_t column, int64_t columns) {
          multiply(input.data + walk.offset() + column * input.stride, columns, output + row * half + column);
        });
  }

 private:
  void multiply(const T* first, int64_t columns, T* out) const {
    Wide<T> buffer[2 * kGatedColumnsPerPiece];
    const Wide<T>* a = read_row(first, input.stride, columns, buffer);
    const Wide<T>* b = read_row(first + half * input.stride, input.stride, columns, buffer + columns);
    Wide<T>* y = output_row(out, buffer);
#pragma omp simd
    for (int64_t i = 0; i < columns; ++i) {
      y[i] = Activation::value(a[i]) * b[i];
    }
    write_row(y, columns, out);
  }
};

template <class T, class Activation>
struct GatedProductBackward {
  Rows<T> grad;   // rows of half
  Rows<T> input;  // rows of 2 · half
  T* grad_input;  // contiguous
  int64_t half;
  GatedPieces pieces;

  // Pieces from `begin` to `end`; threads may share the object.
  void operator()(int64_t begin, int64_t end) const {
    StridedWalk grad_walk(grad.dims, pieces.row_of(begin));
    StridedWalk input_walk(input.dims, pieces.row_of(begin));
    const auto next_row = [&] {
      grad_walk.next();
      input_walk.next();
    };
    pieces.for_each(begin, end, next_row, [&](int64_t row, int64_t column, int64_t columns) {
      differentiate(grad.data + grad_walk.offset() + column * grad.stride,
                    input.data + input_walk.offset() + column * input.stride, columns,
                    grad_input + row * 2 * half + column);
    });
  }

 private:
  // d a = grad · activation'(a) · b,   d b = grad · activation(a)
  void differentiate(const T* grad_row, const T* first, int64_t columns, T* out) const {
    Wide<T> buffer[3 * kGatedColumnsPerPiece];
    const Wide<T>* a = read_row(first, input.stride, columns, buffer);
    const Wide<T>* b = read_row(first + half * input.stride, input.stride, columns, buffer + columns);
    const Wide<T>* dy = read_row(grad_row, grad.stride, columns, buffer + 2 * columns);
    Wide<T>* da = output_row(out, buffer);
    Wide<T>* db = output_row(out + half, buffer + columns);
#pragma omp simd
    for (int64_t i = 0; i < columns; ++i) {
      const auto activation = Activation::value_and_slope(a[i]);
      const Wide<T> factor = b[i];
      const Wide<T> slope = dy[i];
      da[i] = slope * (activation.slope * factor);
      db[i] = slope * activation.value;
    }
    write_row(da, columns, out);
    write_row(db, columns, out + half);
  }
};

}  // namespace myops::cpu
