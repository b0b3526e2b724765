#include "backend_cpu/add_layer_norm_kernel.h"

#include "tests/ops/norm_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

template <class T>
struct Result {
  std::vector<T> output;
  std::vector<T> sum;
};

template <class T>
Result<T> run(const Rows<T>& input, const Rows<T>& residual, const std::vector<T>& weight, const std::vector<T>& bias,
              const NormCase& c) {
  Result<T> result{std::vector<T>(c.rows * c.size), std::vector<T>(c.rows * c.size)};
  const auto weights = wide(weight);
  const auto biases = wide(bias);
  const AddLayerNorm<T> kernel{input,  residual, weights.data(), biases.data(), result.output.data(), result.sum.data(),
                               c.size, c.eps};
  kernel(0, c.rows);
  return result;
}

template <class T>
class AddLayerNormKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(AddLayerNormKernelTest, FloatingTypes);

TYPED_TEST(AddLayerNormKernelTest, NormalisesTheRoundedSum) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const auto input = normal_values<T>(c.rows * c.size, 1, c.mean, c.deviation);
    const auto residual = normal_values<T>(c.rows * c.size, 2, c.mean, c.deviation);
    const auto weight = normal_values<T>(c.size, 3);
    const auto bias = normal_values<T>(c.size, 4);
    const auto result = run(dense_rows(input, c.rows, c.size), dense_rows(residual, c.rows, c.size), weight, bias, c);
    for (int64_t i = 0; i < c.rows * c.size; ++i) {
      ASSERT_EQ(to_long_double(result.sum[i]), to_long_double(narrow<T>(widen(input[i]) + widen(residual[i])))) << i;
    }
    const NormOracle oracle(result.sum, c, /*centred=*/true, weight, bias);
    expect_within(result.output, oracle.expected, oracle.scale, allowed_ulps<T>());
  }
}

TYPED_TEST(AddLayerNormKernelTest, EachInputHasStridesOfItsOwn) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const auto input = normal_values<T>(c.rows * c.size, 5);
  const auto residual = normal_values<T>(c.rows * c.size, 6);
  const auto weight = normal_values<T>(c.size, 7);
  const auto dense = run(dense_rows(input, c.rows, c.size), dense_rows(residual, c.rows, c.size), weight, weight, c);
  const auto other_input = transposed(input, c.rows, c.size);
  const auto other_residual = transposed(residual, c.rows, c.size);
  const auto first = run(transposed_rows(other_input, c.rows), dense_rows(residual, c.rows, c.size), weight, weight, c);
  const auto second =
      run(dense_rows(input, c.rows, c.size), transposed_rows(other_residual, c.rows), weight, weight, c);
  EXPECT_EQ(to_long_doubles(first.output), to_long_doubles(dense.output));
  EXPECT_EQ(to_long_doubles(second.output), to_long_doubles(dense.output));
  EXPECT_EQ(to_long_doubles(second.sum), to_long_doubles(dense.sum));
}

}  // namespace
}  // namespace myops::cpu
