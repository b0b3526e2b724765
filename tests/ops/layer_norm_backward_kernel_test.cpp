#include "backend_cpu/layer_norm_backward_kernel.h"

#include "tests/ops/gradient_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> run(const Rows<T>& grad, const Rows<T>& input, const std::vector<T>& weight, const NormCase& c,
                   ColumnSums<Wide<T>>* weight_sums, ColumnSums<Wide<T>>* bias_sums) {
  std::vector<T> grad_input(c.rows * c.size);
  const auto weights = wide(weight);
  const LayerNormBackward<T> kernel{grad, input, weights.data(), grad_input.data(), c.size, c.eps};
  kernel(0, c.rows, weight_sums, bias_sums);
  return grad_input;
}

template <class T>
class LayerNormBackwardKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(LayerNormBackwardKernelTest, FloatingTypes);

TYPED_TEST(LayerNormBackwardKernelTest, MatchesLongDouble) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const GradientCase<T> data(c);
    const GradientOracle oracle(data, c, /*centred=*/true);
    ColumnSums<Wide<T>> weight_sums(c.size);
    ColumnSums<Wide<T>> bias_sums(c.size);
    const auto grad_input = run(data.grad_rows(), data.input_rows(), data.weight, c, &weight_sums, &bias_sums);
    expect_within(grad_input, oracle.input, oracle.input_scale, allowed_gradient_ulps<T>());
    expect_within(rounded<T>(weight_sums.totals()), oracle.weight, oracle.weight_scale, allowed_gradient_ulps<T>());
    expect_within(rounded<T>(bias_sums.totals()), oracle.bias, oracle.bias_scale, allowed_gradient_ulps<T>());
  }
}

TYPED_TEST(LayerNormBackwardKernelTest, StridesDoNotChangeABit) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const GradientCase<T> data(c);
  const auto grad = transposed(data.grad, c.rows, c.size);
  const auto input = transposed(data.input, c.rows, c.size);
  ColumnSums<Wide<T>> dense_sums(c.size);
  ColumnSums<Wide<T>> strided_sums(c.size);
  const auto dense = run(data.grad_rows(), data.input_rows(), data.weight, c, &dense_sums, nullptr);
  const auto strided =
      run(transposed_rows(grad, c.rows), transposed_rows(input, c.rows), data.weight, c, &strided_sums, nullptr);
  EXPECT_EQ(to_long_doubles(strided), to_long_doubles(dense));
  EXPECT_EQ(strided_sums.totals(), dense_sums.totals());
}

TEST(LayerNormBackwardKernel, WritesOnlyWhatIsWanted) {
  const NormCase c{3, 5};
  const GradientCase<float> data(c);
  const auto weights = wide(data.weight);
  const LayerNormBackward<float> kernel{data.grad_rows(), data.input_rows(), weights.data(), nullptr, c.size, c.eps};
  ColumnSums<float> weight_only(c.size);
  ColumnSums<float> bias_only(c.size);
  kernel(0, c.rows, &weight_only, nullptr);
  kernel(0, c.rows, nullptr, &bias_only);
  ColumnSums<float> weight_sums(c.size);
  ColumnSums<float> bias_sums(c.size);
  const auto all = run(data.grad_rows(), data.input_rows(), data.weight, c, &weight_sums, &bias_sums);
  EXPECT_EQ(weight_only.totals(), weight_sums.totals());
  EXPECT_EQ(bias_only.totals(), bias_sums.totals());
  EXPECT_EQ(run<float>(data.grad_rows(), data.input_rows(), data.weight, c, nullptr, nullptr), all);
}

// The gradient of layer_norm is orthogonal to constants and, but for eps, to the row itself.
TEST(LayerNormBackwardKernel, GradientsOfARowAddUpToZero) {
  const NormCase c{1, 1000, 0, 1, 0};
  const GradientCase<double> data(c);
  const auto dx = run<double>(data.grad_rows(), data.input_rows(), data.weight, c, nullptr, nullptr);
  double sum = 0;
  double along_row = 0;
  for (int64_t i = 0; i < c.size; ++i) {
    sum += dx[i];
    along_row += dx[i] * data.input[i];
  }
  EXPECT_NEAR(sum, 0, 1e-11);
  EXPECT_NEAR(along_row, 0, 1e-11);
}

}  // namespace
}  // namespace myops::cpu
