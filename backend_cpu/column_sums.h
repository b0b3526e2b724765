// Sums over rows, one for each column: the gradient of a weight. A row is added in the computing type; after every 64
// rows the sums go into totals of higher precision, so the error does not grow with the number of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "backend_cpu/lane_sums.h"

namespace myops::cpu {

inline constexpr int64_t kRowsPerBlock = 64;

template <class W>
class ColumnSums {
 public:
  explicit ColumnSums(int64_t columns) : recent_(columns), totals_(columns) {}

  // Adds value(i) to column i.
  template <class Value>
  void add_row(const Value& value) {
    const auto columns = static_cast<int64_t>(recent_.size());
    W* recent = recent_.data();
#pragma omp simd
    for (int64_t i = 0; i < columns; ++i) {
      recent[i] += value(i);
    }
    if (++rows_ == kRowsPerBlock) {
      flush();
    }
  }

  // All rows so far. More may be added afterwards.
  const std::vector<Total<W>>& totals() {
    flush();
    return totals_;
  }

 private:
  void flush() {
    for (size_t i = 0; i < recent_.size(); ++i) {
      totals_[i] += recent_[i];
      recent_[i] = 0;
    }
    rows_ = 0;
  }

  std::vector<W> recent_;
  std::vector<Total<W>> totals_;
  int64_t rows_ = 0;
};

}  // namespace myops::cpu
