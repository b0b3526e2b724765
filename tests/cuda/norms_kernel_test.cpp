#include "backend_cuda/norms.h"
#include "tests/cuda/arrays.h"
#include "tests/ops/norm_case.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;

// Lanes of a warp, a warp, several warps; whole packs and not; rows that do not fit into registers.
std::vector<NormCase> cases() {
  std::vector<NormCase> out;
  for (const int64_t size : {1, 2, 3, 8, 15, 16, 31, 64, 65, 384, 512, 1000, 4096, 4099}) out.push_back({5, size});
  out.push_back({19, 24});
  out.push_back({2, 20000});
  out.push_back({2, 24576});
  out.push_back({2, 384, 100.0});
  out.push_back({2, 384, 0.0, 1e-4});
  return out;
}

// Where the arrays lie: as torch's allocator gives them, behind a storage offset, or with the last dimension not last
// in memory.
enum class Layout { kDense, kShifted, kTransposed };

template <class T>
void expect_norm(Norm norm, const NormCase& c, Layout layout) {
  const auto input_values = normal_values<T>(c.rows * c.size, 1, c.mean, c.deviation);
  const auto weight_values = normal_values<T>(c.size, 2);
  const auto bias_values = norm == Norm::kLayer ? normal_values<T>(c.size, 3) : std::vector<T>(c.size, T(0));
  const bool transposes = layout == Layout::kTransposed;
  Array<T> input(transposes ? transposed(input_values, c.rows, c.size) : input_values, layout == Layout::kShifted);
  Array<T> weight(weight_values);
  Array<T> bias(bias_values);
  Array<T> output(input_values.size());
  NormForward call{};
  call.input = transposes ? rows_at(input.data(), c.rows, 1, c.rows) : rows_at(input.data(), c.rows, c.size);
  call.weight = {weight.data(), 1};
  call.bias = norm == Norm::kLayer ? Parameter{bias.data(), 1} : Parameter();
  call.output = output.data();
  call.rows = c.rows;
  call.size = c.size;
  call.eps = c.eps;
  ASSERT_EQ(launch_norm(norm, dtype_of<T>(), call, nullptr), cudaSuccess);
  EXPECT_TRUE(output.intact());
  const NormOracle oracle(input_values, c, norm == Norm::kLayer, weight_values, bias_values);
  expect_within(output.values(), oracle.expected, oracle.scale, allowed_ulps<T>());
}

template <class T>
class CudaNorms : public ::testing::Test {};
TYPED_TEST_SUITE(CudaNorms, FloatingTypes);

TYPED_TEST(CudaNorms, MatchLongDouble) {
  for (const NormCase& c : cases()) {
    for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
      for (const Layout layout : {Layout::kDense, Layout::kShifted, Layout::kTransposed}) {
        SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.size) + ", layout " +
                     std::to_string(static_cast<int>(layout)));
        expect_norm<TypeParam>(norm, c, layout);
      }
    }
  }
}

// The sum as it was rounded is what is normalised: the same bits as the norm of that sum.
TYPED_TEST(CudaNorms, WithAResidualAreTheNormOfTheRoundedSum) {
  using T = TypeParam;
  for (const NormCase& c : cases()) {
    for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
      const auto count = static_cast<size_t>(c.rows * c.size);
      Array<T> input(normal_values<T>(c.rows * c.size, 4, c.mean, c.deviation));
      Array<T> residual(normal_values<T>(c.rows * c.size, 5));
      Array<T> sum(count);
      Array<T> output(count);
      Array<T> expected(count);
      NormForward call{};
      call.input = rows_at(input.data(), c.rows, c.size);
      call.residual = rows_at(residual.data(), c.rows, c.size);
      call.sum = sum.data();
      call.output = output.data();
      call.rows = c.rows;
      call.size = c.size;
      call.eps = c.eps;
      ASSERT_EQ(launch_norm(norm, dtype_of<T>(), call, nullptr), cudaSuccess);
      EXPECT_TRUE(output.intact() && sum.intact());
      for (size_t i = 0; i < count; ++i) {
        const T want = cpu::narrow<T>(cpu::widen(input.data()[i]) + cpu::widen(residual.data()[i]));
        ASSERT_EQ(to_long_double(sum.data()[i]), to_long_double(want));
      }
      call.input = rows_at(sum.data(), c.rows, c.size);
      call.residual = Rows();
      call.sum = nullptr;
      call.output = expected.data();
      ASSERT_EQ(launch_norm(norm, dtype_of<T>(), call, nullptr), cudaSuccess);
      EXPECT_EQ(to_long_doubles(output.values()), to_long_doubles(expected.values()));
    }
  }
}

TYPED_TEST(CudaNorms, ExpandedRowsAndStridedParametersAreFollowed) {
  using T = TypeParam;
  const NormCase c{4, 40};
  const auto one = normal_values<T>(c.size, 6);
  std::vector<T> repeated;
  for (int64_t r = 0; r < c.rows; ++r) repeated.insert(repeated.end(), one.begin(), one.end());
  const auto weight_values = normal_values<T>(c.size, 7);
  std::vector<T> spread(static_cast<size_t>(3 * c.size), T(9));
  for (int64_t i = 0; i < c.size; ++i) spread[3 * i] = weight_values[i];
  Array<T> input(one);
  Array<T> weight(spread);
  Array<T> output(repeated.size());
  NormForward call{};
  call.input = rows_at(input.data(), c.rows, 0);
  call.weight = {weight.data(), 3};
  call.output = output.data();
  call.rows = c.rows;
  call.size = c.size;
  call.eps = c.eps;
  ASSERT_EQ(launch_norm(Norm::kRms, dtype_of<T>(), call, nullptr), cudaSuccess);
  const NormOracle oracle(repeated, c, false, weight_values, std::vector<T>(c.size, T(0)));
  expect_within(output.values(), oracle.expected, oracle.scale, allowed_ulps<T>());
}

std::vector<float> norm_of_floats(Norm norm, const std::vector<float>& row, double eps) {
  Array<float> input(row);
  Array<float> output(row.size());
  NormForward call{};
  const auto size = static_cast<int64_t>(row.size());
  call.input = rows_at(input.data(), 1, size);
  call.output = output.data();
  call.rows = 1;
  call.size = size;
  call.eps = eps;
  EXPECT_EQ(launch_norm(norm, Dtype::kFloat, call, nullptr), cudaSuccess);
  EXPECT_TRUE(output.intact());
  return output.values();
}

float largest(const std::vector<float>& values, float less) {
  float most = 0;
  for (const float value : values) most = std::max(most, std::isnan(value) ? INFINITY : std::fabs(value - less));
  return most;
}

TEST(CudaNormsOfFloats, ASumBeyondTheirRangeIsNoInfinity) {
  for (const size_t size : {4096, 4099, 100000}) {
    EXPECT_EQ(largest(norm_of_floats(Norm::kLayer, std::vector<float>(size, 0x1p116F), 1e-5), 0), 0) << size;
    const std::vector<float> row(size, 0x1p58F);  // squares of 2¹¹⁶
    EXPECT_LE(largest(norm_of_floats(Norm::kRms, row, 1e-5), 1), 0x1p-23F) << size;
  }
}

TEST(CudaNormsOfFloats, AVarianceBeyondTheirRangeGivesNan) {
  for (const size_t size : {2, 24, 4099, 20000}) {
    std::vector<float> row(size, 1e25F);
    for (size_t i = 0; i < size; i += 2) row[i] = -1e25F;
    for (const float value : norm_of_floats(Norm::kLayer, row, 1e-5)) ASSERT_TRUE(std::isnan(value)) << size;
  }
}

TEST(CudaNormsOfFloats, AnEpsBelowTheirRangeCounts) {
  const std::vector<float> row(24, 0);
  EXPECT_EQ(norm_of_floats(Norm::kRms, row, 1e-60), row);
  EXPECT_EQ(norm_of_floats(Norm::kLayer, row, 1e-60), row);
}

TEST(CudaNormsOfFloats, LongRowsAreAsAccurateAsShortOnes) {
  EXPECT_LE(largest(norm_of_floats(Norm::kRms, std::vector<float>(4000003, 1.1F), 0), 1), 0x1p-23F);
  std::vector<float> row(4000000, 1.1F);
  for (size_t i = 0; i < row.size(); i += 2) row[i] = 3.3F;
  const auto got = norm_of_floats(Norm::kLayer, row, 0);
  for (const size_t i : {0, 1, 3999999}) EXPECT_NEAR(got[i], i % 2 == 0 ? 1 : -1, 0x1p-21F);
}

TEST(CudaNormsOfFloats, NanStaysInItsRow) {
  for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
    Array<float> input({1, std::nanf(""), 2, 1, 1, 4, 2, 2});
    Array<float> output(8);
    NormForward call{};
    call.input = rows_at(input.data(), 2, 4);
    call.output = output.data();
    call.rows = 2;
    call.size = 4;
    call.eps = 1e-5;
    ASSERT_EQ(launch_norm(norm, Dtype::kFloat, call, nullptr), cudaSuccess);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(std::isnan(output.data()[i]), i < 4) << i;
  }
}

}  // namespace
}  // namespace myops::cuda
