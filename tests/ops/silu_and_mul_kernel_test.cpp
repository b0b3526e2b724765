#include "backend_cpu/silu_and_mul_kernel.h"

#include "tests/ops/gated_case.h"

namespace myops::cpu {
namespace {

using namespace myops::testing;

constexpr ExactActivation kSilu{
    [](long double x) { return x * exact_logistic(x); },
    [](long double x) { return exact_logistic(x) * (1 + x * exact_logistic(-x)); },
};

template <class T>
class SiluAndMulKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(SiluAndMulKernelTest, FloatingTypes);

TYPED_TEST(SiluAndMulKernelTest, MatchesLongDouble) { expect_values<Silu, TypeParam>(kSilu, 4); }

TYPED_TEST(SiluAndMulKernelTest, GradientsMatchLongDouble) { expect_gradients<Silu, TypeParam>(kSilu, 4); }

TYPED_TEST(SiluAndMulKernelTest, StridesDoNotChangeABit) { expect_strides_not_to_change_a_bit<Silu, TypeParam>(); }

TYPED_TEST(SiluAndMulKernelTest, RangesOfPiecesMakeUpTheWhole) {
  expect_ranges_of_pieces_to_make_up_the_whole<Silu, TypeParam>();
}

TEST(SiluAndMulKernel, FarOut) {
  expect_far_out<Silu, float>();
  expect_far_out<Silu, double>();
}

// Far into the tail, where exp(x) alone has left float's normal range, and the result, though not yet, soon will.
TEST(SiluAndMulKernel, TailsKeepTheirDigits) {
  for (float x = 20; x > -110; x -= 0.0037F) {
    const long double expected = kSilu.value(x);
    ASSERT_LE(std::fabs(to_long_double(Silu::value(x)) - expected), 3 * ulp<float>(expected)) << x;
  }
}

}  // namespace
}  // namespace myops::cpu
