#include "backend_cuda/launch_shape.h"
#include "backend_cuda/norms.h"
#include "backend_cuda/reductions.h"
#include "tests/cuda/arrays.h"
#include "tests/ops/gradient_case.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;

std::vector<NormCase> cases() {
  std::vector<NormCase> out;
  for (const int64_t size : {1, 2, 3, 8, 31, 64, 65, 384, 1000, 4099}) out.push_back({5, size});
  out.push_back({600, 40});
  out.push_back({2, 20000});
  out.push_back({3, 384, 100.0});
  return out;
}

template <class T>
struct Outputs {
  Array<T> grad;
  Array<T> input;
  Array<T> weight;
  Array<T> grad_input;
  Array<T> grad_weight;
  Array<T> grad_bias;

  Outputs(const GradientCase<T>& data, size_t shift)
      : grad(data.grad, shift),
        input(data.input),
        weight(data.weight),
        grad_input(data.input.size()),
        grad_weight(data.weight.size()),
        grad_bias(data.weight.size()) {}

  // As norm_gradients.cpp does.
  void go(Norm norm, const NormCase& c) {
    const Rows grads = rows_at(grad.data(), c.rows, c.size);
    const Rows inputs = rows_at(input.data(), c.rows, c.size);
    Array<char> moments(static_cast<size_t>(c.rows * moments_bytes(dtype_of<T>())));
    const NormBackward call{grads,  inputs, {weight.data(), 1}, grad_input.data(), moments.data(), c.rows,
                            c.size, c.eps};
    ASSERT_EQ(launch_norm_backward(norm, dtype_of<T>(), call, nullptr), cudaSuccess);
    const int64_t chunks = column_chunks(c.rows, c.size);
    Array<double> weight_sums(static_cast<size_t>(chunks * c.size));
    Array<double> bias_sums(static_cast<size_t>(chunks * c.size));
    const ColumnSums sums{grads, inputs, moments.data(), weight_sums.data(), bias_sums.data(), c.rows, c.size, chunks};
    ASSERT_EQ(launch_column_sums(dtype_of<T>(), sums, nullptr), cudaSuccess);
    for (const auto& [partial, vector] :
         {std::pair(weight_sums.data(), grad_weight.data()), std::pair(bias_sums.data(), grad_bias.data())}) {
      ASSERT_EQ(launch_sum_of_rows(dtype_of<T>(), partial, chunks, c.size, vector, nullptr), cudaSuccess);
    }
    EXPECT_TRUE(moments.intact() && weight_sums.intact() && bias_sums.intact());
    EXPECT_TRUE(grad_input.intact() && grad_weight.intact() && grad_bias.intact());
  }
};

template <class T>
class CudaNormsBackward : public ::testing::Test {};
TYPED_TEST_SUITE(CudaNormsBackward, FloatingTypes);

TYPED_TEST(CudaNormsBackward, MatchLongDouble) {
  using T = TypeParam;
  for (const NormCase& c : cases()) {
    for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
      SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.size));
      const GradientCase<T> data(c);
      const GradientOracle oracle(data, c, norm == Norm::kLayer);
      for (const size_t shift : {0, 1}) {
        Outputs<T> run(data, shift);
        run.go(norm, c);
        expect_within(run.grad_input.values(), oracle.input, oracle.input_scale, allowed_gradient_ulps<T>());
        expect_within(run.grad_weight.values(), oracle.weight, oracle.weight_scale, allowed_gradient_ulps<T>());
        expect_within(run.grad_bias.values(), oracle.bias, oracle.bias_scale, allowed_gradient_ulps<T>());
      }
    }
  }
}

// The gradient of layer_norm where x̂ is 1 and -1 in turns and g the same everywhere: nothing is left of it.
std::vector<float> gradient_of_turns(int64_t size, float g) {
  std::vector<float> row(static_cast<size_t>(size), 1);
  for (size_t i = 0; i < row.size(); i += 2) row[i] = -1;
  Array<float> input(row);
  Array<float> grad(std::vector<float>(row.size(), g));
  Array<float> grad_input(size);
  const NormBackward call{rows_at(grad.data(), 1, size),
                          rows_at(input.data(), 1, size),
                          Parameter(),
                          grad_input.data(),
                          nullptr,
                          1,
                          size,
                          0};
  EXPECT_EQ(launch_norm_backward(Norm::kLayer, Dtype::kFloat, call, nullptr), cudaSuccess);
  EXPECT_TRUE(grad_input.intact());
  return {grad_input.data(), grad_input.data() + size};
}

TEST(CudaNormsBackwardOfFloats, LongRowsAreAsAccurateAsShortOnes) {
  const auto gradient = gradient_of_turns(4000000, 0.1F);
  for (const float value : {gradient[0], gradient[1], gradient.back()}) EXPECT_LE(std::fabs(value), 0.1F * 0x1p-22F);
}

TEST(CudaNormsBackwardOfFloats, ASumBeyondTheirRangeIsNoInfinity) {
  for (const float value : gradient_of_turns(4096, 0x1p116F)) ASSERT_EQ(value, 0);
}

TEST(CudaNormsBackwardOfFloats, WriteOnlyWhatIsWanted) {
  const NormCase c{70, 12};
  const GradientCase<float> data(c);
  Outputs<float> all(data, 0);
  all.go(Norm::kLayer, c);
  Outputs<float> run(data, 0);
  const Rows grads = rows_at(run.grad.data(), c.rows, c.size);
  const int64_t chunks = column_chunks(c.rows, c.size);
  Array<double> sums(static_cast<size_t>(chunks * c.size));
  // A bias alone needs neither the input nor its moments.
  ASSERT_EQ(launch_column_sums(Dtype::kFloat, {grads, Rows(), nullptr, nullptr, sums.data(), c.rows, c.size, chunks},
                               nullptr),
            cudaSuccess);
  ASSERT_EQ(launch_sum_of_rows(Dtype::kFloat, sums.data(), chunks, c.size, run.grad_bias.data(), nullptr), cudaSuccess);
  EXPECT_EQ(run.grad_bias.values(), all.grad_bias.values());
  // Gradients of the input alone need no moments.
  const Rows inputs = rows_at(run.input.data(), c.rows, c.size);
  const NormBackward call{grads, inputs, {run.weight.data(), 1}, run.grad_input.data(), nullptr, c.rows, c.size, c.eps};
  ASSERT_EQ(launch_norm_backward(Norm::kLayer, Dtype::kFloat, call, nullptr), cudaSuccess);
  EXPECT_EQ(run.grad_input.values(), all.grad_input.values());
}

}  // namespace
}  // namespace myops::cuda
