#include "backend_cpu/sum_kernel.h"

#include <algorithm>
#include <random>

#include "tests/ops/oracle.h"

namespace myops::cpu {
namespace {

using testing::normal_values;
using testing::to_long_double;

struct Shape {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::bitset<kMaxDims> reduced;

  Reduction reduction() const {
    return make_reduction(sizes.data(), strides.data(), static_cast<int>(sizes.size()), reduced);
  }
};

template <class T>
std::vector<SumResult<T>> summed(const std::vector<T>& input, const Shape& shape, int64_t pieces_at_once = 1 << 20) {
  const Reduction reduction = shape.reduction();
  std::vector<SumResult<T>> output(reduction.results());
  Sum<T> kernel(input.data(), reduction, output.data());
  for (int64_t begin = 0; begin < kernel.pieces(); begin += pieces_at_once) {
    kernel(begin, std::min(begin + pieces_at_once, kernel.pieces()));
  }
  kernel.finish();
  return output;
}

// Every element goes to its result by index arithmetic alone.
template <class T>
void oracle(const std::vector<T>& input, const Shape& shape, std::vector<long double>& sums,
            std::vector<long double>& magnitudes) {
  int64_t elements = 1;
  int64_t results = 1;
  for (size_t d = 0; d < shape.sizes.size(); ++d) {
    elements *= shape.sizes[d];
    results *= shape.reduced[d] ? 1 : shape.sizes[d];
  }
  sums.assign(results, 0);
  magnitudes.assign(results, 0);
  for (int64_t element = 0; element < elements; ++element) {
    int64_t rest = element;
    int64_t offset = 0;
    int64_t result = 0;
    int64_t result_stride = 1;
    for (size_t d = shape.sizes.size(); d-- > 0;) {
      const int64_t index = rest % shape.sizes[d];
      rest /= shape.sizes[d];
      offset += index * shape.strides[d];
      if (!shape.reduced[d]) {
        result += index * result_stride;
        result_stride *= shape.sizes[d];
      }
    }
    sums[result] += to_long_double(input[offset]);
    magnitudes[result] += std::fabs(to_long_double(input[offset]));
  }
}

const std::vector<Shape> kShapes = {
    {{7}, {1}, 0b1},
    {{70001}, {1}, 0b1},             // more than one chunk of a row
    {{3, 70001}, {70001, 1}, 0b10},  // the same, for several rows
    {{70001, 3}, {3, 1}, 0b1},       // more than one chunk of columns
    {{40, 700}, {700, 1}, 0b1},      // more than one tile of columns
    {{5, 6, 7}, {42, 7, 1}, 0b010},  // an outer dimension and columns
    {{5, 6, 7}, {42, 7, 1}, 0b101},
    {{5, 6, 7}, {1, 5, 30}, 0b001},  // transposed
    {{5, 6, 7}, {1, 5, 30}, 0b100},
    {{4, 5}, {20, 2}, 0b01},  // stepped
    {{4, 5}, {20, 2}, 0b10},
    {{4, 5}, {0, 1}, 0b01},  // expanded
    {{4, 5}, {0, 1}, 0b10},
};

template <class T>
class SumKernelTest : public ::testing::Test {};
TYPED_TEST_SUITE(SumKernelTest, testing::FloatingTypes);

TYPED_TEST(SumKernelTest, MatchesIndexArithmetic) {
  using T = TypeParam;
  const auto input = normal_values<T>(250000, 3);
  for (const Shape& shape : kShapes) {
    std::vector<long double> sums;
    std::vector<long double> magnitudes;
    oracle(input, shape, sums, magnitudes);
    const auto got = summed(input, shape);
    ASSERT_EQ(got.size(), sums.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const long double rounding = testing::ulp<T>(sums[i]) / 2;
      const long double adding = 70 * std::ldexp(magnitudes[i], -std::numeric_limits<Wide<T>>::digits);
      ASSERT_LE(std::fabs(to_long_double(got[i]) - sums[i]), rounding + adding) << i;
    }
  }
}

TYPED_TEST(SumKernelTest, HasTheSameBitsHoweverThePiecesAreShared) {
  const auto input = normal_values<TypeParam>(250000, 4);
  for (const Shape& shape : kShapes) {
    const auto all_at_once = summed(input, shape);
    for (const int64_t pieces : {1, 3}) {
      const auto shared = summed(input, shape, pieces);
      for (size_t i = 0; i < shared.size(); ++i) {
        ASSERT_EQ(to_long_double(shared[i]), to_long_double(all_at_once[i])) << i;
      }
    }
  }
}

TEST(SumKernel, PartialSumsMayBeBeyondHalfsRange) {
  std::vector<c10::Half> input(2000);
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = narrow<c10::Half>(i < 1000 ? 60000.0F : -59968.0F);
  }
  const auto got = summed<c10::Half>(input, {{2000}, {1}, 0b1});
  EXPECT_EQ(widen(got[0]), 32000.0F);
}

// 1, half of the dtype's last bit, and a little more that float would lose; zeros between them, so that they meet in
// double only. Rounded to float in between, the sum would go down to 1.
template <class T>
void expect_rounded_once(std::vector<size_t> places, size_t count, const Shape& shape) {
  const bool is_half = std::is_same_v<T, c10::Half>;
  std::vector<T> input(count, narrow<T>(0.0F));
  input[places[0]] = narrow<T>(1.0F);
  input[places[1]] = narrow<T>(is_half ? 0x1p-11F : 0x1p-8F);
  input[places[2]] = narrow<T>(is_half ? 0x1p-24F : 0x1p-40F);
  EXPECT_EQ(widen(summed<T>(input, shape)[0]), is_half ? 1 + 0x1p-10F : 1 + 0x1p-7F);
}

template <class T>
void expect_sums_rounded_once() {
  expect_rounded_once<T>({0, 1, 2}, 3, {{3}, {1}, 0b1});
  expect_rounded_once<T>({1, 20002, 39999}, 40000, {{40000}, {1}, 0b1});  // two chunks
  expect_rounded_once<T>({2, 200, 600}, 602, {{301, 2}, {2, 1}, 0b01});   // columns
  expect_rounded_once<T>({2, 20002, 79998}, 80000, {{40000, 2}, {2, 1}, 0b01});
}

TEST(SumKernel, HalvesAreRoundedOnce) {
  expect_sums_rounded_once<c10::Half>();
  expect_sums_rounded_once<c10::BFloat16>();
}

TEST(SumKernel, IntegersGiveInt64) {
  EXPECT_THAT(summed<int8_t>({-128, -128, 127}, {{3}, {1}, 0b1}), ::testing::ElementsAre(-129));
  EXPECT_THAT(summed<uint8_t>({255, 255}, {{2}, {1}, 0b1}), ::testing::ElementsAre(510));
  const bool flags[] = {true, true, false};
  int64_t count = 0;
  Sum<bool> kernel(flags, Shape{{3}, {1}, 0b1}.reduction(), &count);
  kernel(0, kernel.pieces());
  kernel.finish();
  EXPECT_EQ(count, 2);
}

TEST(SumKernel, TheSumOfNothingIsZero) {
  EXPECT_THAT(summed<float>({}, {{0}, {1}, 0b1}), ::testing::ElementsAre(0));
  EXPECT_THAT(summed<float>({}, {{0, 3}, {3, 1}, 0b01}), ::testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(summed<float>({}, {{3, 0}, {1, 1}, 0b10}), ::testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(summed<float>({}, {{3, 0}, {1, 1}, 0b01}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace myops::cpu
