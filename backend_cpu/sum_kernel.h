// Sums over some dimensions. The work is cut into pieces whose borders depend on the shape only, so the result has the
// same bits for any number of threads.
#pragma once

#include "backend_cpu/column_sums.h"
#include "backend_cpu/number_conversion.h"
#include "backend_cpu/reduction.h"

namespace myops::cpu {

template <class T>
using SumResult = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

// A piece is some neighbouring columns and some of their terms.
template <class T>
class Sum {
 public:
  // `output` is contiguous, in the order of Reduction's results.
  Sum(const T* input, const Reduction& reduction, SumResult<T>* output)
      : input_(input),
        reduction_(reduction),
        output_(output),
        tiles_((reduction.columns + kColumnsPerPiece - 1) / kColumnsPerPiece),
        terms_per_piece_(kElementsPerPiece / std::clamp<int64_t>(reduction.columns, 1, kColumnsPerPiece)),
        chunks_(std::max<int64_t>(1, (reduction.terms.elements + terms_per_piece_ - 1) / terms_per_piece_)),
        partial_(chunks_ > 1 ? chunks_ * reduction.results() : 0) {}

  int64_t pieces() const { return reduction_.outer.elements * tiles_ * chunks_; }
  int64_t elements_per_piece() const {
    const int64_t columns = std::min<int64_t>(reduction_.columns, kColumnsPerPiece);
    return std::max<int64_t>(1, columns * std::min(terms_per_piece_, reduction_.terms.elements));
  }

  // Adds up pieces `begin` to `end`; distinct pieces may run at the same time. Then call finish() once.
  void operator()(int64_t begin, int64_t end) {
    const int64_t per_outer = tiles_ * chunks_;
    StridedWalk walk(reduction_.outer, begin / per_outer);
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t within = piece % per_outer;
      add_piece(walk.offset(), piece / per_outer, within / chunks_, within % chunks_);
      if (within == per_outer - 1) {
        walk.next();
      }
    }
  }

  void finish() {
    if (chunks_ == 1) {
      return;
    }
    for (int64_t result = 0; result < reduction_.results(); ++result) {
      Total<Wide<T>> total = 0;
      for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
        total += partial_[result * chunks_ + chunk];
      }
      output_[result] = narrow<SumResult<T>>(total);
    }
  }

 private:
  static constexpr int64_t kColumnsPerPiece = 256;
  static constexpr int64_t kElementsPerPiece = 32768;

  void add_piece(int64_t offset, int64_t outer, int64_t tile, int64_t chunk) {
    const int64_t first_term = chunk * terms_per_piece_;
    const int64_t terms = std::min(terms_per_piece_, reduction_.terms.elements - first_term);
    const int64_t column = tile * kColumnsPerPiece;
    const int64_t result = outer * reduction_.columns + column;
    if (reduction_.columns == 1) {
      store(result, chunk, terms == 0 ? 0 : row_total(input_ + offset, first_term, terms));
      return;
    }
    const int64_t columns = std::min(kColumnsPerPiece, reduction_.columns - column);
    ColumnSums<Wide<T>> sums(columns);
    add_columns(input_ + offset + column * reduction_.column_stride, first_term, terms, sums);
    const auto& totals = sums.totals();
    for (int64_t i = 0; i < columns; ++i) {
      store(result + i, chunk, totals[i]);
    }
  }

  void store(int64_t result, int64_t chunk, Total<Wide<T>> total) {
    if (chunks_ == 1) {
      output_[result] = narrow<SumResult<T>>(total);
    } else {
      partial_[result * chunks_ + chunk] = total;
    }
  }

  Total<Wide<T>> row_total(const T* data, int64_t first_term, int64_t terms) const {
    Total<Wide<T>> total = 0;
    StridedWalk walk(reduction_.terms, first_term);
    while (terms > 0) {
      const int64_t run = std::min(terms, walk.run());
      total += run_total(data + walk.offset(), walk.inner_stride(), run);
      walk.skip(run);
      terms -= run;
    }
    return total;
  }

  static Total<Wide<T>> run_total(const T* data, int64_t stride, int64_t count) {
    if (stride == 1) {
      return sum_of<Wide<T>>(count, [data](int64_t i) { return widen(data[i]); });
    }
    return sum_of<Wide<T>>(count, [data, stride](int64_t i) { return widen(data[i * stride]); });
  }

  void add_columns(const T* data, int64_t first_term, int64_t terms, ColumnSums<Wide<T>>& sums) const {
    const int64_t stride = reduction_.column_stride;
    StridedWalk walk(reduction_.terms, first_term);
    for (int64_t term = 0; term < terms; ++term, walk.next()) {
      const T* row = data + walk.offset();
      if (stride == 1) {
        sums.add_row([row](int64_t i) { return widen(row[i]); });
      } else {
        sums.add_row([row, stride](int64_t i) { return widen(row[i * stride]); });
      }
    }
  }

  const T* input_;
  Reduction reduction_;
  SumResult<T>* output_;
  int64_t tiles_;
  int64_t terms_per_piece_;
  int64_t chunks_;
  std::vector<Total<Wide<T>>> partial_;  // [result][chunk], where there is more than one chunk
};

}  // namespace myops::cpu
