#include "backend_cpu/row_values.h"

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using ::testing::ElementsAre;

TEST(RowValues, ReadsAFloatRowInPlace) {
  const std::vector<float> row{1, 2, 3};
  std::vector<float> buffer(3, -1);
  EXPECT_EQ(read_row(row.data(), 1, 3, buffer.data()), row.data());
  EXPECT_THAT(buffer, ElementsAre(-1, -1, -1));
}

TEST(RowValues, CopiesAStridedOrNarrowRow) {
  const std::vector<float> row{1, 2, 3, 4, 5};
  std::vector<float> buffer(3);
  EXPECT_EQ(read_row(row.data(), 2, 3, buffer.data()), buffer.data());
  EXPECT_THAT(buffer, ElementsAre(1, 3, 5));
  const std::vector<c10::BFloat16> narrow_row{1.5F, -2.0F};
  read_row(narrow_row.data(), 1, 2, buffer.data());
  EXPECT_THAT(buffer, ElementsAre(1.5F, -2.0F, 5));
}

TEST(RowValues, WritesRoundedValues) {
  const std::vector<float> values{1.0F, 1.00390625F};  // the second is halfway between two bfloat16: to even
  std::vector<c10::BFloat16> row(2);
  write_row(values.data(), 2, row.data());
  EXPECT_EQ(static_cast<float>(row[0]), 1.0F);
  EXPECT_EQ(static_cast<float>(row[1]), 1.0F);
}

TEST(RowValues, AnAbsentParameterIsItsConstant) {
  const RowParameter<c10::Half> absent(nullptr, 1, 2, 1.0F);
  EXPECT_EQ(absent.values()[0], 1.0F);
  EXPECT_EQ(absent.values()[1], 1.0F);
}

TEST(RowValues, AParameterIsReadThroughItsStride) {
  const std::vector<double> weight{1, 2, 3, 4};
  const RowParameter<double> stepped(weight.data(), 2, 2, 1);
  EXPECT_EQ(stepped.values()[1], 3);
  const RowParameter<double> dense(weight.data(), 1, 4, 1);
  EXPECT_EQ(dense.values(), weight.data());
}

}  // namespace
}  // namespace myops::cpu
