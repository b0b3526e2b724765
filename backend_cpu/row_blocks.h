// Rows cut into blocks that each have column sums of their own. The borders depend on the shape only, and the blocks
// are added in their order, so gradients of parameters have the same bits for any number of threads.
#pragma once

#include <ATen/EmptyTensor.h>

#include "backend_cpu/column_sums.h"
#include "backend_cpu/number_conversion.h"
#include "backend_cpu/threads.h"

namespace myops::cpu {

class RowBlocks {
 public:
  // `size`: elements of a row.
  RowBlocks(int64_t rows, int64_t size) : rows_(rows), count_(1) {
    const int64_t columns = std::max<int64_t>(1, size);
    const int64_t worthwhile = rows * columns / kElementsPerThread;
    const int64_t affordable = std::max<int64_t>(1, kMaxSums / columns);
    count_ = std::clamp<int64_t>(std::min({worthwhile, affordable, rows}), 1, kMaxBlocks);
  }

  int64_t count() const { return count_; }

  // body(block, begin, end) for each block that has rows; blocks run at the same time.
  template <class Body>
  void for_each(const Body& body) const {
    share_out(rows_ == 0 ? 0 : count_, kElementsPerThread, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block) {
        body(block, rows_ * block / count_, rows_ * (block + 1) / count_);
      }
    });
  }

 private:
  static constexpr int64_t kMaxBlocks = 64;
  static constexpr int64_t kMaxSums = int64_t{1} << 22;  // of all blocks together, unless a row is longer

  int64_t rows_;
  int64_t count_;
};

// Column sums for each block; none where they are not wanted.
template <class W>
class BlockSums {
 public:
  BlockSums(bool wanted, const RowBlocks& blocks, int64_t columns)
      : columns_(columns), sums_(wanted ? blocks.count() : 0, ColumnSums<W>(wanted ? columns : 0)) {}

  ColumnSums<W>* of_block(int64_t block) { return sums_.empty() ? nullptr : &sums_[block]; }

  // A vector of dtype T, undefined where it is not wanted.
  template <class T>
  at::Tensor to_tensor(at::ScalarType dtype) {
    if (sums_.empty()) {
      return at::Tensor();
    }
    std::vector<Total<W>> totals(columns_);
    for (ColumnSums<W>& block : sums_) {
      const auto& addends = block.totals();
      for (int64_t i = 0; i < columns_; ++i) {
        totals[i] += addends[i];
      }
    }
    at::Tensor vector = at::detail::empty_cpu({columns_}, dtype);
    T* data = vector.mutable_data_ptr<T>();
    for (int64_t i = 0; i < columns_; ++i) {
      data[i] = narrow<T>(totals[i]);
    }
    return vector;
  }

 private:
  int64_t columns_;
  std::vector<ColumnSums<W>> sums_;
};

}  // namespace myops::cpu
