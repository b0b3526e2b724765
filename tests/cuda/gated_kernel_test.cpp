#include "backend_cuda/gated.h"
#include "backend_cuda/gelu_and_mul_math.h"
#include "tests/cuda/arrays.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;

template <class W>
ValueAndSlope<W> activate(Activation activation, W x) {
  switch (activation) {
    case Activation::kSilu:
      return Silu::value_and_slope(x);
    case Activation::kGelu:
      return Gelu::value_and_slope(x);
    case Activation::kGeluTanh:
      return GeluTanh::value_and_slope(x);
  }
  return {};
}

template <class T>
class CudaGated : public ::testing::Test {};
TYPED_TEST_SUITE(CudaGated, FloatingTypes);

// Bit for bit the arithmetic of *_math.h, which has its own test.
template <class T>
void expect_gated(Activation activation, int64_t rows, int64_t half, size_t shift, bool transposes) {
  const auto values = normal_values<T>(rows * 2 * half, 1);
  const auto grads = normal_values<T>(rows * half, 2);
  std::vector<T> stored = values;
  for (int64_t r = 0; transposes && r < rows; ++r) {
    for (int64_t i = 0; i < 2 * half; ++i) stored[i * rows + r] = values[r * 2 * half + i];
  }
  Array<T> input(stored, shift);
  Array<T> grad(grads);
  Array<T> output(grads.size());
  Array<T> grad_input(values.size());
  const Rows in = transposes ? rows_at(input.data(), rows, 1, rows) : rows_at(input.data(), rows, 2 * half);
  ASSERT_EQ(launch_gated(activation, dtype_of<T>(), {in, output.data(), rows, half}, nullptr), cudaSuccess);
  ASSERT_EQ(launch_gated_backward(activation, dtype_of<T>(),
                                  {rows_at(grad.data(), rows, half), in, grad_input.data(), rows, half}, nullptr),
            cudaSuccess);
  EXPECT_TRUE(output.intact() && grad_input.intact());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < half; ++i) {
      const auto a = cpu::widen(values[r * 2 * half + i]);
      const auto b = cpu::widen(values[r * 2 * half + half + i]);
      const auto dy = cpu::widen(grads[r * half + i]);
      const auto at = activate(activation, a);
      const auto same = [](T got, T want) { return to_long_double(got) == to_long_double(want); };
      ASSERT_TRUE(same(output.data()[r * half + i], cpu::narrow<T>(at.value * b)));
      ASSERT_TRUE(same(grad_input.data()[r * 2 * half + i], cpu::narrow<T>(dy * (at.slope * b))));
      ASSERT_TRUE(same(grad_input.data()[r * 2 * half + half + i], cpu::narrow<T>(dy * at.value)));
    }
  }
}

TYPED_TEST(CudaGated, FollowTheirHalvesInEveryLayout) {
  for (const Activation activation : {Activation::kSilu, Activation::kGelu, Activation::kGeluTanh}) {
    for (const int64_t half : {1, 3, 4, 8, 12, 16, 33, 1024}) {
      expect_gated<TypeParam>(activation, 3, half, 0, false);
      expect_gated<TypeParam>(activation, 3, half, 1, false);
      expect_gated<TypeParam>(activation, 3, half, 0, true);
    }
  }
}

}  // namespace
}  // namespace myops::cuda
