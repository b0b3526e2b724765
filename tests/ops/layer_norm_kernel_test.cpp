#include "backend_cpu/layer_norm_kernel.h"

#include "tests/ops/norm_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> run(const Rows<T>& input, const std::vector<T>& weight, const std::vector<T>& bias, const NormCase& c) {
  std::vector<T> output(c.rows * c.size);
  const auto weights = wide(weight);
  const auto biases = wide(bias);
  const LayerNorm<T> kernel{input, weights.data(), biases.data(), output.data(), c.size, c.eps};
  kernel(0, c.rows);
  return output;
}

template <class T>
class LayerNormKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(LayerNormKernelTest, FloatingTypes);

TYPED_TEST(LayerNormKernelTest, MatchesLongDouble) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const auto input = normal_values<T>(c.rows * c.size, 1, c.mean, c.deviation);
    const auto weight = normal_values<T>(c.size, 2);
    const auto bias = normal_values<T>(c.size, 3);
    const NormOracle oracle(input, c, /*centred=*/true, weight, bias);
    expect_within(run(dense_rows(input, c.rows, c.size), weight, bias, c), oracle.expected, oracle.scale,
                  allowed_ulps<T>());
  }
}

TYPED_TEST(LayerNormKernelTest, StridesDoNotChangeABit) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const auto input = normal_values<T>(c.rows * c.size, 4);
  const auto weight = normal_values<T>(c.size, 5);
  const auto dense = run(dense_rows(input, c.rows, c.size), weight, weight, c);
  const auto other = transposed(input, c.rows, c.size);
  EXPECT_EQ(to_long_doubles(run(transposed_rows(other, c.rows), weight, weight, c)), to_long_doubles(dense));
}

// Mean 1e6, deviation 1: a float's sum of squares minus the square of the sum would keep no digit.
TEST(LayerNormKernel, ALargeMeanDoesNotCancel) {
  const NormCase c{2, 4096, 1e6};
  const auto input = normal_values<float>(c.rows * c.size, 6, c.mean);
  const std::vector<float> ones(c.size, 1);
  const std::vector<float> zeros(c.size, 0);
  const NormOracle oracle(input, c, true, ones, zeros);
  expect_within(run(dense_rows(input, c.rows, c.size), ones, zeros, c), oracle.expected, oracle.scale, 4);
}

// The first value is far from all others: a variance taken around it would lose theirs. One lane then rounds 64 times
// at its square's magnitude: half of lane_sums.h's bound reaches the deviation.
TEST(LayerNormKernel, AnOutlierDoesNotSpoilTheVariance) {
  const NormCase c{1, 1024};
  auto input = normal_values<float>(c.size, 7);
  input[0] = 1e5F;
  const std::vector<float> ones(c.size, 1);
  const std::vector<float> zeros(c.size, 0);
  const NormOracle oracle(input, c, true, ones, zeros);
  expect_within(run(dense_rows(input, 1, c.size), ones, zeros, c), oracle.expected, oracle.scale, 36);
}

TEST(LayerNormKernel, AConstantRowGivesTheBias) {
  const NormCase c{1, 1000};
  const std::vector<float> input(c.size, 0.1F);
  const auto weight = normal_values<float>(c.size, 8);
  const auto bias = normal_values<float>(c.size, 9);
  EXPECT_EQ(run(dense_rows(input, 1, c.size), weight, bias, c), bias);
}

TEST(LayerNormKernel, HalvesNearTheirLimitGiveFiniteAnswers) {
  const NormCase c{1, 4};
  const std::vector<c10::Half> input{65504.0F, -65504.0F, 65504.0F, -65504.0F};
  const std::vector<c10::Half> ones(4, c10::Half(1.0F));
  const std::vector<c10::Half> zeros(4, c10::Half(0.0F));
  const auto output = run(dense_rows(input, 1, 4), ones, zeros, c);
  EXPECT_EQ(widen(output[0]), 1.0F);
  EXPECT_EQ(widen(output[1]), -1.0F);
}

// Zeros, which a scale of 0 would make, would be wrong without a sign.
TYPED_TEST(LayerNormKernelTest, AVarianceBeyondTheRangeGivesNanInItsRowOnly) {
  using T = TypeParam;
  if (std::is_same_v<T, c10::Half>) return;  // float holds the squares of all of them
  for (const int64_t size : {2, 4, 17, 1000}) {
    const NormCase c{2, size};
    const double large = std::is_same_v<T, double> ? 1e160 : 1e25;
    std::vector<T> input;
    for (int64_t i = 0; i < 2 * size; ++i) {
      input.push_back(narrow<T>(static_cast<Wide<T>>((i % 2 == 0 ? 1 : -1) * (i < size ? large : 1.0))));
    }
    const std::vector<T> ones(size, narrow<T>(Wide<T>(1)));
    const auto output = run(dense_rows(input, 2, size), ones, ones, c);
    for (int64_t i = 0; i < 2 * size; ++i) {
      EXPECT_EQ(std::isnan(to_long_double(output[i])), i < size) << i << " of " << size;
    }
  }
}

TEST(LayerNormKernel, NanAndInfinityGiveNanInTheirRowOnly) {
  const float infinity = std::numeric_limits<float>::infinity();
  const NormCase c{3, 3};
  const std::vector<float> input{1, std::numeric_limits<float>::quiet_NaN(), 2, 1, infinity, 2, 1, 2, 3};
  const auto output = run(dense_rows(input, 3, 3), std::vector<float>(3, 1), std::vector<float>(3, 0), c);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(std::isnan(output[i])) << i;
  }
  EXPECT_NEAR(output[7], 0, 1e-6);
}

}  // namespace
}  // namespace myops::cpu
