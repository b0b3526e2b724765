#include "backend_cuda/launch_shape.h"

#include <gtest/gtest.h>

#include <vector>

namespace myops::cuda {
namespace {

bool is_power_of_two(int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

TEST(CudaRowShape, HasSeveralRowsOnlyWhereTheirThreadsAreWithinAWarp) {
  for (const int64_t packs : {0, 1, 2, 7, 8, 16, 17, 63, 64, 65, 128, 511, 512, 513, 5000, 100000000}) {
    for (const int64_t per_lane : {2, 4}) {
      const RowShape shape = row_shape(packs, per_lane);
      EXPECT_TRUE(is_power_of_two(shape.lanes));
      EXPECT_LE(shape.lanes, kMaxLanes);
      EXPECT_EQ(shape.threads() % kWarp, 0);
      EXPECT_TRUE(shape.lanes <= kWarp || shape.rows_per_block == 1);
      EXPECT_TRUE(shape.lanes == kMaxLanes || shape.lanes * per_lane >= packs);
    }
  }
}

TEST(CudaRowShape, GridsStayWithinTheirLimit) {
  const RowShape shape = row_shape(1, 2);
  EXPECT_EQ(shape.blocks(1), 1U);
  EXPECT_EQ(shape.blocks(17), 2U);
  EXPECT_EQ(shape.blocks(int64_t{1} << 40), static_cast<unsigned>(kMaxGrid));
  EXPECT_EQ(elementwise_blocks(int64_t{1} << 40), 65536U);
  EXPECT_EQ(elementwise_blocks(257), 2U);
}

TEST(CudaReductionShape, EveryTermIsInOneChunkAndEveryThreadHasItsPlace) {
  for (const bool by_columns : {false, true}) {
    for (const int64_t results : {1, 2, 3, 31, 32, 33, 255, 1000, 100000}) {
      for (const int64_t terms : {0, 1, 2, 7, 64, 1000, 40000, 100000000}) {
        const ReductionShape shape = reduction_shape(results, terms, by_columns);
        EXPECT_TRUE(is_power_of_two(shape.lanes));
        EXPECT_EQ(shape.lanes * shape.results_per_block, kReductionThreads);
        EXPECT_GE(shape.chunks * shape.terms_per_chunk, terms);
        EXPECT_TRUE(terms == 0 || (shape.chunks - 1) * shape.terms_per_chunk < terms);
        EXPECT_EQ(shape.pieces, ceil_div(results, shape.results_per_block) * shape.chunks);
        std::vector<int> seen(kReductionThreads);
        for (int t = 0; t < kReductionThreads; ++t) {
          const int lane = t / shape.lane_step % shape.lanes;
          const int slot = t / shape.result_step % shape.results_per_block;
          ++seen[lane * shape.results_per_block + slot];
          EXPECT_EQ(lane * shape.lane_step + slot * shape.result_step, t);
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), kReductionThreads);
      }
    }
  }
}

TEST(CudaReductionShape, FewResultsWithManyTermsAreCutIntoChunks) {
  EXPECT_GT(reduction_shape(1, 100000000, false).chunks, 500);
  EXPECT_GT(reduction_shape(64, 1000000, true).chunks, 100);
  EXPECT_EQ(reduction_shape(100000, 64, false).chunks, 1);
}

TEST(CudaReductionShape, OnePieceHasAllTerms) {
  const ReductionShape shape = in_one_piece(reduction_shape(3, 100000, false), 100000);
  EXPECT_EQ(shape.chunks, 1);
  EXPECT_EQ(shape.terms_per_chunk, 100000);
  EXPECT_EQ(shape.pieces, ceil_div(3, shape.results_per_block));
}

TEST(CudaColumnChunks, DependOnTheShapeAndHaveRows) {
  for (const int64_t rows : {1, 63, 64, 65, 4096, 100000000}) {
    for (const int64_t columns : {1, 32, 33, 4096, 1000000}) {
      const int64_t chunks = column_chunks(rows, columns);
      EXPECT_GE(chunks, 1);
      EXPECT_LE(chunks, std::max<int64_t>(1, ceil_div(rows, 64)));
    }
  }
}

TEST(CudaLaunchShape, PowersOfTwo) {
  EXPECT_EQ(power_of_two_from(0), 1);
  EXPECT_EQ(power_of_two_from(1), 1);
  EXPECT_EQ(power_of_two_from(5), 8);
  EXPECT_EQ(power_of_two_from(8), 8);
}

}  // namespace
}  // namespace myops::cuda
