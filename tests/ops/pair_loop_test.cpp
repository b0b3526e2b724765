#include "backend_cpu/pair_loop.h"

#include <limits>

#include "backend_cpu/my_multiple_input_op_kernel.h"
#include "backend_cpu/myadd_kernel.h"
#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using ::testing::ElementsAre;

template <class T, class Combine>
std::vector<T> combined(const std::vector<T>& first, const std::vector<T>& second, const Combine& combine) {
  std::vector<T> out(first.size());
  combine_contiguous(out.data(), first.data(), second.data(), static_cast<int64_t>(first.size()), combine);
  return out;
}

TEST(PairLoop, RoundsLowPrecisionOnce) {
  // In float16, 2048 · 1.0009765625 + 2048 is 4098.0 exactly; rounding the product first gives 4096 + 2 = 4098 or 4100.
  const std::vector<c10::Half> t0{2049.0F, 1.0F};
  const std::vector<c10::Half> t1{1.0009765625F, 65504.0F};
  const auto out = combined(t0, t1, MultiplyThenAdd());
  const float exact = widen(t0[0]) * widen(t1[0]) + widen(t0[0]);
  EXPECT_EQ(out[0].x, narrow<c10::Half>(exact).x);
  EXPECT_EQ(widen(out[1]), 65504.0F);  // 65505 rounds to the largest finite value, not to infinity
}

TEST(PairLoop, IntegersWrapAround) {
  constexpr auto kMax = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(combined<int32_t>({kMax}, {1}, Add()), ElementsAre(std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(combined<int64_t>({std::numeric_limits<int64_t>::max()}, {1}, Add()),
              ElementsAre(std::numeric_limits<int64_t>::min()));
  EXPECT_THAT(combined<int16_t>({32767}, {32767}, MultiplyThenAdd()), ElementsAre(static_cast<int16_t>(-32768)));
  EXPECT_THAT(combined<uint8_t>({200}, {100}, Add()), ElementsAre(44));
  EXPECT_THAT(combined<int8_t>({-128}, {-1}, Add()), ElementsAre(127));
}

TEST(PairLoop, MayWriteOverAnInput) {
  std::vector<float> values(37);
  std::vector<float> expected;
  for (int i = 0; i < 37; ++i) {
    values[i] = static_cast<float>(i);
    expected.push_back(2 * static_cast<float>(i));
  }
  combine_contiguous(values.data(), values.data(), values.data(), 37, Add());
  EXPECT_EQ(values, expected);
}

TEST(PairLoop, FollowsStridesOfBothDimensions) {
  const std::vector<double> first{0, 1, 2, 3, 4, 5};
  const std::vector<double> second{10, 20};
  std::vector<double> out(6);
  constexpr int64_t kSize = sizeof(double);
  char* data[] = {reinterpret_cast<char*>(out.data()), const_cast<char*>(reinterpret_cast<const char*>(first.data())),
                  const_cast<char*>(reinterpret_cast<const char*>(second.data()))};
  // out is 2 × 3 and dense; first is its transpose; second has one value for each row.
  const int64_t strides[] = {kSize, 2 * kSize, 0, 3 * kSize, kSize, kSize};
  combine_strided<double>(data, strides, 3, 2, Add());
  EXPECT_THAT(out, ElementsAre(10, 12, 14, 21, 23, 25));
}

}  // namespace
}  // namespace myops::cpu
