#include "backend_cuda/reductions.h"
#include "tests/cuda/arrays.h"

namespace myops::cuda {
namespace {

using namespace myops::testing;

template <class T>
std::vector<T> values_of(int64_t count, unsigned seed) {
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> values(static_cast<size_t>(count));
    std::mt19937_64 generator(seed);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(generator() % 100 % 7);
    return values;
  } else {
    return normal_values<T>(count, seed);
  }
}

struct Case {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  std::vector<int> reduced;
};

// Rows, columns, both with one result and many terms (two passes), several reduced dimensions, a broadcast one.
std::vector<Case> cases() {
  return {
      {{3, 5}, {5, 1}, {1}},
      {{3, 5}, {5, 1}, {0}},
      {{3, 5}, {1, 3}, {1}},
      {{300, 7}, {7, 1}, {1}},
      {{7, 300}, {300, 1}, {0}},
      {{40000}, {1}, {0}},
      {{40000, 2}, {2, 1}, {0}},
      {{2, 40000}, {40000, 1}, {1}},
      {{4, 6, 50}, {300, 50, 1}, {0, 2}},
      {{4, 6, 50}, {300, 50, 1}, {1}},
      {{4, 60, 70}, {0, 70, 1}, {0, 1}},
      {{20, 30, 40}, {1, 20, 600}, {0, 2}},
      {{1, 1}, {1, 1}, {0, 1}},
      {{5, 64}, {64, 1}, {1}},
      {{3, 4096}, {4112, 1}, {1}},
      {{100003}, {1}, {0}},
      {{2, 50}, {64, 1}, {1}},
  };
}

// Each where packs begin, and one element behind such a place.
std::vector<std::pair<Case, size_t>> shifted_cases() {
  std::vector<std::pair<Case, size_t>> out;
  for (const Case& c : cases()) {
    out.emplace_back(c, 0);
    out.emplace_back(c, 1);
  }
  return out;
}

struct Walk {
  explicit Walk(const Case& c) : what(c), is_reduced(c.sizes.size()) {
    for (const int d : c.reduced) is_reduced[static_cast<size_t>(d)] = true;
  }

  // Offsets of the terms of each result, in row-major order.
  std::vector<std::vector<int64_t>> offsets() const {
    int64_t results = 1;
    int64_t terms = 1;
    for (size_t d = 0; d < what.sizes.size(); ++d) (is_reduced[d] ? terms : results) *= what.sizes[d];
    std::vector<std::vector<int64_t>> out;
    for (int64_t r = 0; r < results; ++r) {
      out.emplace_back();
      for (int64_t t = 0; t < terms; ++t) out.back().push_back(offset(r, false) + offset(t, true));
    }
    return out;
  }

 private:
  int64_t offset(int64_t number, bool reduced) const {
    int64_t sum = 0;
    for (size_t d = what.sizes.size(); d-- > 0;) {
      if (is_reduced[d] != reduced) continue;
      sum += number % what.sizes[d] * what.strides[d];
      number /= what.sizes[d];
    }
    return sum;
  }

  const Case& what;
  std::vector<bool> is_reduced;
};

int64_t memory_of(const Case& c) {
  int64_t last = 0;
  for (size_t d = 0; d < c.sizes.size(); ++d) last += (c.sizes[d] - 1) * c.strides[d];
  return last + 1;
}

Reduction reduction_of(const Case& c) {
  std::bitset<kMaxDims> reduced;
  for (const int d : c.reduced) reduced.set(static_cast<size_t>(d));
  return make_reduction(c.sizes.data(), c.strides.data(), static_cast<int>(c.sizes.size()), reduced);
}

template <class T>
class CudaSum : public ::testing::Test {};
using Numbers =
    ::testing::Types<float, double, c10::BFloat16, c10::Half, uint8_t, int8_t, int16_t, int32_t, int64_t, bool>;
TYPED_TEST_SUITE(CudaSum, Numbers);

TYPED_TEST(CudaSum, MatchesLongDouble) {
  using T = TypeParam;
  using Result = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  for (const auto& [c, shift] : shifted_cases()) {
    std::vector<T> values = values_of<T>(memory_of(c), 1);
    const auto offsets = Walk(c).offsets();
    Array<T> input(values, shift);
    const Reduction reduction = reduction_of(c);
    Array<Result> output(offsets.size());
    Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
    ASSERT_EQ(launch_sum(dtype_of<T>(), input.data(), reduction, partial.data(), output.data(), nullptr), cudaSuccess);
    EXPECT_TRUE(output.intact() && partial.intact());
    for (size_t r = 0; r < offsets.size(); ++r) {
      long double sum = 0;
      long double scale = 0;
      for (const int64_t offset : offsets[r]) {
        const auto term = static_cast<long double>(input.data()[offset]);
        sum += term;
        scale += std::fabs(term);
      }
      const auto got = static_cast<long double>(output.data()[r]);
      if constexpr (std::is_integral_v<T>) {
        ASSERT_EQ(got, sum);
      } else {
        ASSERT_LE(std::fabs(got - sum), (precision<T>() < 24 ? 0.51L : 4.0L) * ulp<T>(scale)) << "result " << r;
      }
    }
  }
}

// 1 + 2⁻¹¹ lies halfway between two float16 values, and 2⁻²⁴ more is lost in float: rounded twice it would go down.
TEST(CudaSumOfHalves, IsRoundedOnce) {
  std::vector<c10::Half> values(40000, c10::Half(0));
  values[1] = 1;
  values[20002] = std::ldexp(1.0F, -11);
  values[39999] = std::ldexp(1.0F, -24);
  const int64_t sizes[] = {40000};
  const int64_t strides[] = {1};
  const Reduction reduction = make_reduction(sizes, strides, 1, std::bitset<kMaxDims>().set(0));
  Array<c10::Half> input(values);
  Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
  Array<c10::Half> output(1);
  ASSERT_EQ(launch_sum(Dtype::kHalf, input.data(), reduction, partial.data(), output.data(), nullptr), cudaSuccess);
  EXPECT_EQ(to_long_double(output.data()[0]), 1 + std::ldexp(1.0L, -10));
}

TEST(CudaSumOfNothing, IsZero) {
  const int64_t sizes[] = {3, 0};
  const int64_t strides[] = {1, 1};
  const Reduction reduction = make_reduction(sizes, strides, 2, std::bitset<kMaxDims>().set(1));
  Array<float> output(std::vector<float>{1, 2, 3});
  ASSERT_EQ(launch_sum(Dtype::kFloat, nullptr, reduction, nullptr, output.data(), nullptr), cudaSuccess);
  EXPECT_EQ(output.values(), (std::vector<float>{0, 0, 0}));
}

template <class T>
class CudaArgmax : public ::testing::Test {};
using Ordered = ::testing::Types<float, double, c10::BFloat16, c10::Half, uint8_t, int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(CudaArgmax, Ordered);

TYPED_TEST(CudaArgmax, IsTheFirstOfTheLargest) {
  using T = TypeParam;
  for (const auto& [c, shift] : shifted_cases()) {
    if (c.reduced.size() != 1) continue;
    const std::vector<T> values = values_of<T>(memory_of(c), 2);
    Array<T> input(values, shift);
    const auto offsets = Walk(c).offsets();
    const Reduction reduction = reduction_of(c);
    Array<int64_t> output(offsets.size());
    Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
    ASSERT_EQ(launch_argmax(dtype_of<T>(), input.data(), reduction, partial.data(), output.data(), nullptr),
              cudaSuccess);
    EXPECT_TRUE(output.intact() && partial.intact());
    for (size_t r = 0; r < offsets.size(); ++r) {
      size_t best = 0;
      for (size_t t = 1; t < offsets[r].size(); ++t) {
        if (values[offsets[r][t]] > values[offsets[r][best]]) best = t;
      }
      ASSERT_EQ(output.data()[r], static_cast<int64_t>(best)) << "result " << r;
    }
  }
}

TEST(CudaArgmaxOfFloats, PutsNanAboveAllAndNegativeIntegersBelowZero) {
  std::vector<float> floats(40000, 1);
  floats[30000] = INFINITY;
  floats[20001] = std::nanf("");
  floats[39999] = std::nanf("");
  const int64_t sizes[] = {40000};
  const int64_t strides[] = {1};
  const Reduction reduction = make_reduction(sizes, strides, 1, std::bitset<kMaxDims>().set(0));
  ASSERT_GT(reduction_shape(reduction).chunks, 1);
  Array<char> partial(static_cast<size_t>(scratch_bytes(reduction)));
  int64_t index = -1;
  ASSERT_EQ(launch_argmax(Dtype::kFloat, floats.data(), reduction, partial.data(), &index, nullptr), cudaSuccess);
  EXPECT_EQ(index, 20001);
  std::vector<int8_t> bytes(40000, -3);
  bytes[777] = -1;
  ASSERT_EQ(launch_argmax(Dtype::kChar, bytes.data(), reduction, partial.data(), &index, nullptr), cudaSuccess);
  EXPECT_EQ(index, 777);
}

}  // namespace
}  // namespace myops::cuda
