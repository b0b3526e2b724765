#include "backend_cpu/argmax_kernel.h"

#include <cmath>
#include <limits>

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using ::testing::ElementsAre;

template <class T>
std::vector<int64_t> largest(const std::vector<T>& input, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& strides, int dim) {
  const Reduction reduction =
      make_reduction(sizes.data(), strides.data(), static_cast<int>(sizes.size()), std::bitset<kMaxDims>().set(dim));
  std::vector<int64_t> output(reduction.results(), -1);
  const Argmax<T> kernel(input.data(), reduction, output.data());
  kernel(0, kernel.pieces());
  return output;
}

TEST(ArgmaxKernel, FindsTheFirstOfEquals) {
  EXPECT_THAT(largest<float>({1, 3, 3, 2}, {4}, {1}, 0), ElementsAre(1));
  EXPECT_THAT(largest<float>({1, 3, 3, 2}, {2, 2}, {2, 1}, 0), ElementsAre(1, 0));  // columns
  EXPECT_THAT(largest<float>({5, 5, 5, 5}, {2, 2}, {2, 1}, 0), ElementsAre(0, 0));
}

TEST(ArgmaxKernel, CountsNanAsTheLargest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(largest<float>({1, nan, infinity, nan}, {4}, {1}, 0), ElementsAre(1));
  EXPECT_THAT(largest<float>({nan, 1, infinity, nan}, {2, 2}, {2, 1}, 0), ElementsAre(0, 1));
  EXPECT_THAT(largest<float>({-infinity, -infinity}, {2}, {1}, 0), ElementsAre(0));
}

TEST(ArgmaxKernel, ComparesIntegersWithTheirSign) {
  EXPECT_THAT(largest<int64_t>({-2, -1, std::numeric_limits<int64_t>::min()}, {3}, {1}, 0), ElementsAre(1));
  EXPECT_THAT(largest<int8_t>({-1, 1}, {2}, {1}, 0), ElementsAre(1));
  // Two values that are one in float.
  EXPECT_THAT(largest<int32_t>({16777216, 16777217}, {2}, {1}, 0), ElementsAre(1));
}

TEST(ArgmaxKernel, FollowsStridesInBothDirections) {
  const std::vector<double> input{0, 9, 2, 7, 4, 5};
  EXPECT_THAT(largest(input, {2, 3}, {3, 1}, 1), ElementsAre(1, 0));
  EXPECT_THAT(largest(input, {2, 3}, {3, 1}, 0), ElementsAre(1, 0, 1));
  EXPECT_THAT(largest(input, {3, 2}, {1, 3}, 0), ElementsAre(1, 0));  // the transpose
  EXPECT_THAT(largest(input, {3, 2}, {1, 3}, 1), ElementsAre(1, 0, 1));
  EXPECT_THAT(largest(input, {2, 3}, {0, 1}, 1), ElementsAre(1, 1));  // expanded
  EXPECT_THAT(largest(input, {3}, {2}, 0), ElementsAre(2));           // stepped: 0, 2, 4
}

TEST(ArgmaxKernel, WorksOnMoreColumnsThanOnePieceHolds) {
  constexpr int64_t kColumns = 700;
  std::vector<c10::BFloat16> input(3 * kColumns, c10::BFloat16(0.0F));
  for (int64_t c = 0; c < kColumns; ++c) {
    input[(c % 3) * kColumns + c] = 1.0F;
  }
  const auto got = largest(input, {3, kColumns}, {kColumns, 1}, 0);
  for (int64_t c = 0; c < kColumns; ++c) {
    ASSERT_EQ(got[c], c % 3) << c;
  }
}

TEST(ArgmaxKernel, AScalarHasIndexZero) {
  const Reduction reduction = make_reduction(nullptr, nullptr, 0, std::bitset<kMaxDims>().set(0));
  const float value = 3;
  int64_t index = -1;
  const Argmax<float> kernel(&value, reduction, &index);
  kernel(0, kernel.pieces());
  EXPECT_EQ(index, 0);
}

}  // namespace
}  // namespace myops::cpu
