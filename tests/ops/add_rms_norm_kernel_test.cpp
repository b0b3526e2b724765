#include "backend_cpu/add_rms_norm_kernel.h"

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
Result<T> run(const Rows<T>& input, const Rows<T>& residual, const std::vector<T>& weight, const NormCase& c) {
  Result<T> result{std::vector<T>(c.rows * c.size), std::vector<T>(c.rows * c.size)};
  const auto weights = wide(weight);
  const AddRmsNorm<T> kernel{input, residual, weights.data(), result.output.data(), result.sum.data(), c.size, c.eps};
  kernel(0, c.rows);
  return result;
}

template <class T>
class AddRmsNormKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(AddRmsNormKernelTest, FloatingTypes);

TYPED_TEST(AddRmsNormKernelTest, NormalisesTheRoundedSum) {
  using T = TypeParam;
  for (const NormCase& c : norm_cases()) {
    const auto input = normal_values<T>(c.rows * c.size, 1, c.mean, c.deviation);
    const auto residual = normal_values<T>(c.rows * c.size, 2, c.mean, c.deviation);
    const auto weight = normal_values<T>(c.size, 3);
    const auto result = run(dense_rows(input, c.rows, c.size), dense_rows(residual, c.rows, c.size), weight, c);
    for (int64_t i = 0; i < c.rows * c.size; ++i) {
      ASSERT_EQ(to_long_double(result.sum[i]), to_long_double(narrow<T>(widen(input[i]) + widen(residual[i])))) << i;
    }
    const NormOracle oracle(result.sum, c, /*centred=*/false, weight, std::vector<T>(c.size, T(0)));
    // The total of many blocks has nothing wider than double to be kept in. Measured: 7.8 ulps; proven is only half of
    // 64 terms a lane and 977 blocks.
    const bool many_in_double = std::is_same_v<T, double> && c.size > 4099;
    expect_within(result.output, oracle.expected, oracle.scale, many_in_double ? 16.0L : allowed_ulps<T>());
  }
}

TYPED_TEST(AddRmsNormKernelTest, EachInputHasStridesOfItsOwn) {
  using T = TypeParam;
  const NormCase c{5, 33};
  const auto input = normal_values<T>(c.rows * c.size, 5);
  const auto residual = normal_values<T>(c.rows * c.size, 6);
  const auto weight = normal_values<T>(c.size, 7);
  const auto dense = run(dense_rows(input, c.rows, c.size), dense_rows(residual, c.rows, c.size), weight, c);
  const auto other_input = transposed(input, c.rows, c.size);
  const auto other_residual = transposed(residual, c.rows, c.size);
  const auto first = run(transposed_rows(other_input, c.rows), dense_rows(residual, c.rows, c.size), weight, c);
  const auto second = run(dense_rows(input, c.rows, c.size), transposed_rows(other_residual, c.rows), weight, c);
  EXPECT_EQ(to_long_doubles(first.output), to_long_doubles(dense.output));
  EXPECT_EQ(to_long_doubles(first.sum), to_long_doubles(dense.sum));
  EXPECT_EQ(to_long_doubles(second.output), to_long_doubles(dense.output));
  EXPECT_EQ(to_long_doubles(second.sum), to_long_doubles(dense.sum));
}

TYPED_TEST(AddRmsNormKernelTest, RangesOfRowsMakeUpTheWhole) {
  using T = TypeParam;
  const NormCase c{5, 17};
  const auto input = normal_values<T>(c.rows * c.size, 8);
  const auto residual = normal_values<T>(c.rows * c.size, 9);
  const std::vector<Wide<T>> ones(c.size, 1);
  const auto whole =
      run(dense_rows(input, c.rows, c.size), dense_rows(residual, c.rows, c.size), std::vector<T>(c.size, T(1)), c);
  Result<T> parts{std::vector<T>(c.rows * c.size), std::vector<T>(c.rows * c.size)};
  const AddRmsNorm<T> kernel{dense_rows(input, c.rows, c.size),
                             dense_rows(residual, c.rows, c.size),
                             ones.data(),
                             parts.output.data(),
                             parts.sum.data(),
                             c.size,
                             c.eps};
  kernel(3, 5);
  kernel(0, 3);
  EXPECT_EQ(to_long_doubles(parts.output), to_long_doubles(whole.output));
  EXPECT_EQ(to_long_doubles(parts.sum), to_long_doubles(whole.sum));
}

}  // namespace
}  // namespace myops::cpu
