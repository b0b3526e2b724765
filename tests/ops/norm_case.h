// One call of a norm kernel, and what long double says about it. Serves the tests of all norm kernels.
#pragma once

#include <algorithm>

#include "backend_cpu/row_values.h"
#include "tests/ops/oracle.h"

namespace myops::testing {

struct NormCase {
  int64_t rows;
  int64_t size;
  double mean = 0;
  double deviation = 1;
  double eps = 1e-5;
};

// Sizes around the number of lanes, real ones, and means far above the deviation.
inline std::vector<NormCase> norm_cases() {
  std::vector<NormCase> cases;
  for (const int64_t size : {1, 2, 3, 15, 16, 17, 31, 33, 384, 1000, 4099}) {
    cases.push_back({3, size});
  }
  cases.push_back({2, 384, 100.0});
  cases.push_back({2, 384, 0.0, 1e-4});
  cases.push_back({1, 1000000});
  return cases;
}

// Errors allowed, in ulps of the sum of the terms' magnitudes: low precision rounds once, at the end.
template <class T>
constexpr long double allowed_ulps() {
  return precision<T>() < 24 ? 0.51L : 4.0L;
}

template <class T>
cpu::Rows<T> dense_rows(const std::vector<T>& data, int64_t rows, int64_t size) {
  cpu::Rows<T> out{data.data(), {}, 1};
  out.dims.append(rows, size);
  return out;
}

// The same values with the last dimension first in memory: stride `rows` between the elements of a row.
template <class T>
std::vector<T> transposed(const std::vector<T>& data, int64_t rows, int64_t size) {
  std::vector<T> out(data.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < size; ++i) {
      out[i * rows + r] = data[r * size + i];
    }
  }
  return out;
}

template <class T>
cpu::Rows<T> transposed_rows(const std::vector<T>& data, int64_t rows) {
  cpu::Rows<T> out{data.data(), {}, rows};
  out.dims.append(rows, 1);
  return out;
}

template <class T>
std::vector<cpu::Wide<T>> wide(const std::vector<T>& values) {
  std::vector<cpu::Wide<T>> out;
  for (const T value : values) {
    out.push_back(cpu::widen(value));
  }
  return out;
}

template <class T>
std::vector<long double> row_of(const std::vector<T>& data, int64_t row, int64_t size) {
  return to_long_doubles(std::vector<T>(data.begin() + row * size, data.begin() + (row + 1) * size));
}

// x̂ · weight + bias for every row, and the magnitude of its terms (|x̂| counts as 1 at least: it is a difference from
// the mean).
struct NormOracle {
  std::vector<long double> expected;
  std::vector<long double> scale;

  template <class T>
  NormOracle(const std::vector<T>& input, const NormCase& c, bool centred, const std::vector<T>& weight,
             const std::vector<T>& bias) {
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto x_hat = normalised(row_of(input, row, c.size), centred, c.eps);
      for (int64_t i = 0; i < c.size; ++i) {
        const long double w = to_long_double(weight[i]);
        const long double b = to_long_double(bias[i]);
        expected.push_back(x_hat[i] * w + b);
        scale.push_back(std::max(std::fabs(x_hat[i]), 1.0L) * std::fabs(w) + std::fabs(b));
      }
    }
  }
};

}  // namespace myops::testing
