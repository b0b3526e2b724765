// Calls of the loops of gated_loop.h, and what long double says about them. Serves the tests of all gated activations.
#pragma once

#include "backend_cpu/gated_loop.h"
#include "tests/ops/norm_case.h"

namespace myops::testing {

// What an activation and its derivative are, by their formulas.
struct ExactActivation {
  long double (*value)(long double);
  long double (*slope)(long double);
};

inline long double exact_logistic(long double x) { return 1 / (1 + std::exp(-x)); }

// Rows of 2 · half values, from a tail where activations vanish to one where they are the identity.
template <class T>
struct GatedCase {
  GatedCase(int64_t row_count, int64_t half_size)
      : rows(row_count),
        half(half_size),
        input(normal_values<T>(rows * 2 * half, 21, 0, 3)),
        grad(normal_values<T>(rows * half, 22)) {}

  int64_t rows;
  int64_t half;
  std::vector<T> input;
  std::vector<T> grad;
};

// Sizes around the number of lanes and around that of the columns of a piece.
template <class T>
std::vector<GatedCase<T>> gated_cases() {
  std::vector<GatedCase<T>> cases;
  for (const int64_t half : {1, 2, 3, 15, 16, 17, 384, 1023, 1024, 1025, 2050}) {
    cases.emplace_back(3, half);
  }
  return cases;
}

template <class Activation, class T>
std::vector<T> gated(const cpu::Rows<T>& input, int64_t rows, int64_t half) {
  std::vector<T> output(rows * half);
  const cpu::GatedPieces pieces(rows, half);
  const cpu::GatedProduct<T, Activation> kernel{input, output.data(), half, pieces};
  kernel(0, pieces.count());
  return output;
}

template <class Activation, class T>
std::vector<T> gated_backward(const cpu::Rows<T>& grad, const cpu::Rows<T>& input, int64_t rows, int64_t half) {
  std::vector<T> grad_input(rows * 2 * half);
  const cpu::GatedPieces pieces(rows, half);
  const cpu::GatedProductBackward<T, Activation> kernel{grad, input, grad_input.data(), half, pieces};
  kernel(0, pieces.count());
  return grad_input;
}

// `ulps` for float and double; low precision rounds once, at the end.
template <class Activation, class T>
void expect_values(const ExactActivation& exact, long double ulps) {
  for (const GatedCase<T>& c : gated_cases<T>()) {
    std::vector<long double> expected, scale;
    for (int64_t i = 0; i < c.rows * c.half; ++i) {
      const T* row = c.input.data() + i / c.half * 2 * c.half;
      expected.push_back(exact.value(to_long_double(row[i % c.half])) * to_long_double(row[c.half + i % c.half]));
      scale.push_back(std::fabs(expected.back()));
    }
    const auto got = gated<Activation>(dense_rows(c.input, c.rows, 2 * c.half), c.rows, c.half);
    expect_within(got, expected, scale, precision<T>() < 24 ? 0.51L : ulps);
  }
}

// Errors of the derivatives are counted in ulps of 1, as which they count at least: they are sums that cancel.
template <class Activation, class T>
void expect_gradients(const ExactActivation& exact, long double ulps) {
  for (const GatedCase<T>& c : gated_cases<T>()) {
    std::vector<long double> expected(c.rows * 2 * c.half), scale(c.rows * 2 * c.half);
    for (int64_t i = 0; i < c.rows * c.half; ++i) {
      const int64_t first = i / c.half * 2 * c.half + i % c.half;
      const int64_t second = first + c.half;
      const long double a = to_long_double(c.input[first]);
      const long double b = to_long_double(c.input[second]);
      const long double dy = to_long_double(c.grad[i]);
      expected[first] = dy * b * exact.slope(a);
      scale[first] = std::fabs(dy * b) * std::max(std::fabs(exact.slope(a)), 1.0L);
      expected[second] = dy * exact.value(a);
      scale[second] = std::fabs(expected[second]);
    }
    const auto got = gated_backward<Activation>(dense_rows(c.grad, c.rows, c.half),
                                                dense_rows(c.input, c.rows, 2 * c.half), c.rows, c.half);
    expect_within(got, expected, scale, precision<T>() < 24 ? 0.51L : ulps);
  }
}

template <class Activation, class T>
void expect_strides_not_to_change_a_bit() {
  for (const int64_t half : {33, 1030}) {
    const GatedCase<T> c(5, half);
    const auto input = transposed(c.input, c.rows, 2 * half);
    const auto grad = transposed(c.grad, c.rows, half);
    const auto dense = dense_rows(c.input, c.rows, 2 * half);
    const auto strided = transposed_rows(input, c.rows);
    EXPECT_EQ(to_long_doubles(gated<Activation>(strided, c.rows, half)),
              to_long_doubles(gated<Activation>(dense, c.rows, half)));
    EXPECT_EQ(to_long_doubles(gated_backward<Activation>(transposed_rows(grad, c.rows), strided, c.rows, half)),
              to_long_doubles(gated_backward<Activation>(dense_rows(c.grad, c.rows, half), dense, c.rows, half)));
  }
}

template <class Activation, class T>
void expect_ranges_of_pieces_to_make_up_the_whole() {
  const GatedCase<T> c(3, 2050);
  const cpu::GatedPieces pieces(c.rows, c.half);
  ASSERT_EQ(pieces.count(), 9);
  std::vector<T> output(c.rows * c.half);
  std::vector<T> grad_input(c.rows * 2 * c.half);
  const auto input = dense_rows(c.input, c.rows, 2 * c.half);
  const auto grad = dense_rows(c.grad, c.rows, c.half);
  const cpu::GatedProduct<T, Activation> kernel{input, output.data(), c.half, pieces};
  const cpu::GatedProductBackward<T, Activation> backward{grad, input, grad_input.data(), c.half, pieces};
  for (const auto& [begin, end] : {std::pair{5, 9}, std::pair{0, 1}, std::pair{1, 5}}) {
    kernel(begin, end);
    backward(begin, end);
  }
  EXPECT_EQ(to_long_doubles(output), to_long_doubles(gated<Activation>(input, c.rows, c.half)));
  EXPECT_EQ(to_long_doubles(grad_input), to_long_doubles(gated_backward<Activation>(grad, input, c.rows, c.half)));
}

// Values far out, alike for every activation here: what is finite stays finite, and infinity times 0 is NaN, as ATen
// has it.
template <class Activation, class W>
void expect_far_out() {
  constexpr W kInfinity = std::numeric_limits<W>::infinity();
  constexpr W kLargest = std::numeric_limits<W>::max();
  for (const W x : {W(-1000), W(-1e4), -kLargest}) {
    EXPECT_EQ(Activation::value(x), 0) << x;
    EXPECT_TRUE(std::signbit(Activation::value(x))) << x;
    EXPECT_EQ(Activation::value_and_slope(x).value, 0) << x;
    EXPECT_EQ(Activation::value_and_slope(x).slope, 0) << x;
  }
  for (const W x : {W(1000), W(1e4), kLargest}) {
    EXPECT_EQ(Activation::value(x), x);
    EXPECT_EQ(Activation::value_and_slope(x).value, x);
    EXPECT_EQ(Activation::value_and_slope(x).slope, 1) << x;
  }
  for (const W x : {W(0), -W(0)}) {
    EXPECT_EQ(Activation::value(x), 0);
    EXPECT_EQ(std::signbit(Activation::value(x)), std::signbit(x));
    EXPECT_EQ(Activation::value_and_slope(x).slope, W(0.5));
  }
  EXPECT_EQ(Activation::value(kInfinity), kInfinity);
  EXPECT_EQ(Activation::value_and_slope(kInfinity).value, kInfinity);
  EXPECT_TRUE(std::isnan(Activation::value_and_slope(kInfinity).slope));
  for (const W x : {-kInfinity, std::numeric_limits<W>::quiet_NaN(), -std::numeric_limits<W>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(Activation::value(x))) << x;
    EXPECT_TRUE(std::isnan(Activation::value_and_slope(x).value)) << x;
    EXPECT_TRUE(std::isnan(Activation::value_and_slope(x).slope)) << x;
  }
}

}  // namespace myops::testing
