#include "backend_cpu/rms_norm_kernel.h"

#include "tests/ops/norm_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> run(const Rows<T>& input, const std::vector<T>& weight, const NormCase& c) {
  std::vector<T> output(c.rows * c.size);
  const auto weights = wide(weight);
  const RmsNorm<T> kernel{input, weights.data(), output.data(), c.size, c.eps};
  kernel(0, c.rows);
  return output;
}

template <class T>
class RmsNormKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(RmsNormKernelTest, FloatingTypes);

TYPED_TEST(RmsNormKernelTest, MatchesLongDouble) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const auto input = normal_values<T>(c.rows * c.size, 1, c.mean, c.deviation);
    const auto weight = normal_values<T>(c.size, 2);
    const NormOracle oracle(input, c, /*centred=*/false, weight, std::vector<T>(c.size, T(0)));
    expect_within(run(dense_rows(input, c.rows, c.size), weight, c), oracle.expected, oracle.scale, allowed_ulps<T>());
  }
}

TYPED_TEST(RmsNormKernelTest, StridesDoNotChangeABit) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const auto input = normal_values<T>(c.rows * c.size, 3);
  const auto weight = normal_values<T>(c.size, 4);
  const auto dense = run(dense_rows(input, c.rows, c.size), weight, c);
  const auto other = transposed(input, c.rows, c.size);
  const auto strided = run(transposed_rows(other, c.rows), weight, c);
  EXPECT_EQ(to_long_doubles(strided), to_long_doubles(dense));
}

TYPED_TEST(RmsNormKernelTest, RangesOfRowsMakeUpTheWhole) {
  using T = TypeParam;
  const NormCase c{5, 17};
  const auto input = normal_values<T>(c.rows * c.size, 5);
  const std::vector<Wide<T>> ones(c.size, 1);
  const auto whole = run(dense_rows(input, c.rows, c.size), std::vector<T>(c.size, T(1)), c);
  std::vector<T> output(c.rows * c.size);
  const RmsNorm<T> kernel{dense_rows(input, c.rows, c.size), ones.data(), output.data(), c.size, c.eps};
  kernel(3, 5);
  kernel(0, 3);
  EXPECT_EQ(to_long_doubles(output), to_long_doubles(whole));
}

TEST(RmsNormKernel, HalvesNearTheirLimitGiveFiniteAnswers) {
  const NormCase c{1, 4};
  const std::vector<c10::Half> input(4, c10::Half(65504.0F));
  const auto output = run(dense_rows(input, 1, 4), std::vector<c10::Half>(4, c10::Half(1.0F)), c);
  for (const c10::Half value : output) {
    EXPECT_EQ(widen(value), 1.0F);
  }
}

TEST(RmsNormKernel, NanStaysInItsRow) {
  const NormCase c{2, 3};
  const std::vector<float> input{1, std::numeric_limits<float>::quiet_NaN(), 2, 1, 1, 1};
  const auto output = run(dense_rows(input, 2, 3), std::vector<float>(3, 1), c);
  EXPECT_TRUE(std::isnan(output[0]) && std::isnan(output[1]) && std::isnan(output[2]));
  EXPECT_NEAR(output[3], 1, 1e-5);
}

}  // namespace
}  // namespace myops::cpu
