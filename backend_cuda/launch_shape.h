// How work is cut into blocks of threads. It depends on shapes only, never on the GPU, so that a result has the same
// bits on every run. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

namespace myops::cuda {

inline constexpr int64_t kMaxGrid =
    2147483647;  // blocks in a grid (CUDA C++ Programming Guide, "Compute Capabilities")

inline int64_t ceil_div(int64_t number, int64_t divisor) { return (number + divisor - 1) / divisor; }

// The smallest power of two that is at least `number`; 1 for 0. Up to 2^62.
inline int64_t power_of_two_from(int64_t number) {
  int64_t power = 1;
  while (power < number) {
    power *= 2;
  }
  return power;
}

// Elementwise work: each thread takes elements that lie a grid apart.
inline constexpr int kElementwiseThreads = 256;
inline unsigned elementwise_blocks(int64_t pieces) {
  constexpr int64_t kEnough = 65536;  // 16 million threads: more than any GPU runs at once
  return static_cast<unsigned>(std::clamp<int64_t>(ceil_div(pieces, kElementwiseThreads), 1, kEnough));
}

// Work on rows: `lanes` threads, a power of two, share a row. Up to a warp of them, a block has several rows, else one.
struct RowShape {
  int lanes;
  int rows_per_block;

  int threads() const { return lanes * rows_per_block; }
  unsigned blocks(int64_t rows) const {
    return static_cast<unsigned>(std::clamp<int64_t>(ceil_div(rows, rows_per_block), 1, kMaxGrid));
  }
};

inline constexpr int kWarp = 32;
inline constexpr int kMaxLanes = 512;
inline RowShape row_shape(int64_t packs, int64_t packs_per_lane) {
  constexpr int64_t kLeastLanes = 8;
  constexpr int kLeastThreads = 128;
  const int64_t wanted = std::min<int64_t>(ceil_div(packs, packs_per_lane), kMaxLanes);
  const int lanes = static_cast<int>(std::max(kLeastLanes, power_of_two_from(wanted)));
  return {lanes, lanes > kWarp ? 1 : kLeastThreads / lanes};
}

// Reductions: `lanes` threads of a block share the terms of one result, or, where there are few results, those of one
// chunk of them. Thread t is lane (t / lane_step) % lanes of result (t / result_step) % results_per_block: neighbouring
// threads read what is near in memory.
struct ReductionShape {
  int lanes;
  int results_per_block;
  int lane_step;
  int result_step;
  int64_t chunks;
  int64_t terms_per_chunk;
  int64_t pieces;  // one for a block: a group of results and a chunk of their terms
};

inline constexpr int kReductionThreads = 256;
inline constexpr int64_t kMostInPack = 16;  // elements of one byte in an access of 16

// `by_columns`: neighbouring results are nearer in memory than neighbouring terms. There is a result.
inline ReductionShape reduction_shape(int64_t results, int64_t terms, bool by_columns) {
  constexpr int64_t kTermsPerLane = 8;
  constexpr int64_t kColumnLanes = 8;
  constexpr int64_t kWorthwhile = 16;  // terms of a lane, below which another chunk costs more than it brings
  constexpr int64_t kEnoughPieces = 1024;
  const int64_t most_lanes = std::min<int64_t>(kReductionThreads, power_of_two_from(std::min(terms, kMaxGrid)));
  int64_t lanes = 1;
  if (by_columns) {
    const int64_t results_at_once =
        std::min<int64_t>(kReductionThreads, power_of_two_from(std::min(results, kMaxGrid)));
    lanes = std::min(most_lanes, std::max(kColumnLanes, kReductionThreads / results_at_once));
  } else {
    lanes = std::min(most_lanes, power_of_two_from(std::min(ceil_div(terms, kTermsPerLane), kMaxGrid)));
  }
  ReductionShape shape{};
  shape.lanes = static_cast<int>(lanes);
  shape.results_per_block = kReductionThreads / shape.lanes;
  shape.lane_step = by_columns ? shape.results_per_block : 1;
  shape.result_step = by_columns ? 1 : shape.lanes;
  const int64_t groups = ceil_div(results, shape.results_per_block);
  const int64_t worthwhile = ceil_div(terms, lanes * kWorthwhile);
  const int64_t chunks = std::max<int64_t>(1, std::min(kEnoughPieces / groups, worthwhile));
  shape.terms_per_chunk = std::max<int64_t>(1, ceil_div(terms, chunks));
  if (chunks > 1) {  // each begins where a pack does
    shape.terms_per_chunk = ceil_div(shape.terms_per_chunk, kMostInPack) * kMostInPack;
  }
  shape.chunks = std::max<int64_t>(1, ceil_div(terms, shape.terms_per_chunk));
  shape.pieces = groups * shape.chunks;
  return shape;
}

// The same lanes, but each result with all its terms in one piece.
inline ReductionShape in_one_piece(ReductionShape shape, int64_t terms) {
  shape.pieces /= shape.chunks;
  shape.chunks = 1;
  shape.terms_per_chunk = terms;
  return shape;
}

// Sums over rows, one for each column: tiles of columns, and rows in chunks of their own.
inline constexpr int kColumnsPerTile = 32;
inline int64_t column_chunks(int64_t rows, int64_t columns) {
  constexpr int64_t kEnoughBlocks = 1024;
  constexpr int64_t kRowsWorthwhile = 64;
  const int64_t tiles = std::max<int64_t>(1, ceil_div(columns, kColumnsPerTile));
  return std::max<int64_t>(1, std::min(kEnoughBlocks / tiles, ceil_div(rows, kRowsWorthwhile)));
}

}  // namespace myops::cuda
