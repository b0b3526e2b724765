#include "backend_cpu/rms_norm_backward_kernel.h"

#include "tests/ops/gradient_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> run(const Rows<T>& grad, const Rows<T>& input, const std::vector<T>& weight, const NormCase& c,
                   ColumnSums<Wide<T>>* weight_sums) {
  std::vector<T> grad_input(c.rows * c.size);
  const auto weights = wide(weight);
  const RmsNormBackward<T> kernel{grad, input, weights.data(), grad_input.data(), c.size, c.eps};
  kernel(0, c.rows, weight_sums);
  return grad_input;
}

template <class T>
class RmsNormBackwardKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(RmsNormBackwardKernelTest, FloatingTypes);

TYPED_TEST(RmsNormBackwardKernelTest, MatchesLongDouble) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const GradientCase<T> data(c);
    const GradientOracle oracle(data, c, /*centred=*/false);
    ColumnSums<Wide<T>> sums(c.size);
    const auto grad_input = run(data.grad_rows(), data.input_rows(), data.weight, c, &sums);
    expect_within(grad_input, oracle.input, oracle.input_scale, allowed_gradient_ulps<T>());
    expect_within(rounded<T>(sums.totals()), oracle.weight, oracle.weight_scale, allowed_gradient_ulps<T>());
  }
}

TYPED_TEST(RmsNormBackwardKernelTest, StridesDoNotChangeABit) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const GradientCase<T> data(c);
  const auto grad = transposed(data.grad, c.rows, c.size);
  const auto input = transposed(data.input, c.rows, c.size);
  ColumnSums<Wide<T>> dense_sums(c.size);
  ColumnSums<Wide<T>> strided_sums(c.size);
  const auto dense = run(data.grad_rows(), data.input_rows(), data.weight, c, &dense_sums);
  const auto strided =
      run(transposed_rows(grad, c.rows), transposed_rows(input, c.rows), data.weight, c, &strided_sums);
  EXPECT_EQ(to_long_doubles(strided), to_long_doubles(dense));
  EXPECT_EQ(strided_sums.totals(), dense_sums.totals());
}

TEST(RmsNormBackwardKernel, WritesOnlyWhatIsWanted) {
  const NormCase c{3, 5};
  const GradientCase<float> data(c);
  const auto weights = wide(data.weight);
  const RmsNormBackward<float> kernel{data.grad_rows(), data.input_rows(), weights.data(), nullptr, c.size, c.eps};
  ColumnSums<float> only(c.size);
  ColumnSums<float> both(c.size);
  kernel(0, c.rows, &only);
  const auto grad_input = run(data.grad_rows(), data.input_rows(), data.weight, c, &both);
  EXPECT_EQ(only.totals(), both.totals());
  EXPECT_EQ(run<float>(data.grad_rows(), data.input_rows(), data.weight, c, nullptr), grad_input);
}

}  // namespace
}  // namespace myops::cpu
