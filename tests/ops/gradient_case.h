// One call of a norm's backward kernel, and what long double says about it.
#pragma once

#include "backend_cpu/column_sums.h"
#include "tests/ops/norm_case.h"

namespace myops::testing {

template <class T>
struct GradientCase {
  explicit GradientCase(const NormCase& c)
      : rows(c.rows),
        size(c.size),
        grad(normal_values<T>(c.rows * c.size, 11)),
        input(normal_values<T>(c.rows * c.size, 12, c.mean, c.deviation)),
        weight(normal_values<T>(c.size, 13)) {}

  cpu::Rows<T> grad_rows() const { return dense_rows(grad, rows, size); }
  cpu::Rows<T> input_rows() const { return dense_rows(input, rows, size); }

  int64_t rows;
  int64_t size;
  std::vector<T> grad;
  std::vector<T> input;
  std::vector<T> weight;
};

// Gradients pass through more roundings than values do.
template <class T>
constexpr long double allowed_gradient_ulps() {
  return precision<T>() < 24 ? 0.51L : 8.0L;
}

template <class T, class W>
std::vector<T> rounded(const std::vector<W>& totals) {
  std::vector<T> out;
  for (const W total : totals) {
    out.push_back(cpu::narrow<T>(total));
  }
  return out;
}

// By the formulas of the chain rule: d x = (g - ⟨g⟩ - x̂ ⟨g x̂⟩) / deviation, where ⟨g⟩ is left out if not centred.
struct GradientOracle {
  std::vector<long double> input, input_scale, weight, weight_scale, bias, bias_scale;

  template <class T>
  GradientOracle(const GradientCase<T>& data, const NormCase& c, bool centred)
      : weight(c.size), weight_scale(c.size), bias(c.size), bias_scale(c.size) {
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto x = row_of(data.input, row, c.size);
      const auto dy = row_of(data.grad, row, c.size);
      const auto x_hat = normalised(x, centred, c.eps);
      add_parameters(dy, x_hat);
      add_input(dy, x_hat, to_long_doubles(data.weight), inverse_deviation(x, centred, c.eps), centred);
    }
  }

 private:
  static long double inverse_deviation(const std::vector<long double>& x, bool centred, long double eps) {
    const auto count = static_cast<long double>(x.size());
    const long double mean = centred ? sum_of_all(x) / count : 0;
    long double squares = 0;
    for (const long double value : x) {
      squares += (value - mean) * (value - mean);
    }
    return 1 / std::sqrt(squares / count + eps);
  }

  void add_parameters(const std::vector<long double>& dy, const std::vector<long double>& x_hat) {
    for (size_t i = 0; i < dy.size(); ++i) {
      weight[i] += dy[i] * x_hat[i];
      weight_scale[i] += std::fabs(dy[i]) * std::max(std::fabs(x_hat[i]), 1.0L);
      bias[i] += dy[i];
      bias_scale[i] += std::fabs(dy[i]);
    }
  }

  void add_input(const std::vector<long double>& dy, const std::vector<long double>& x_hat,
                 const std::vector<long double>& w, long double inverse, bool centred) {
    const auto count = static_cast<long double>(dy.size());
    long double slope = 0;
    long double product = 0;
    long double slope_scale = 0;  // the errors of the means are those of their terms, which may cancel
    long double product_scale = 0;
    for (size_t i = 0; i < dy.size(); ++i) {
      slope += dy[i] * w[i] / count;
      product += dy[i] * w[i] * x_hat[i] / count;
      slope_scale += std::fabs(dy[i] * w[i]) / count;
      product_scale += std::fabs(dy[i] * w[i]) * std::max(std::fabs(x_hat[i]), 1.0L) / count;
    }
    slope = centred ? slope : 0;
    for (size_t i = 0; i < dy.size(); ++i) {
      const long double g = dy[i] * w[i];
      input.push_back(inverse * (g - slope - x_hat[i] * product));
      const long double terms = std::fabs(g) + slope_scale + std::max(std::fabs(x_hat[i]), 1.0L) * product_scale;
      input_scale.push_back(inverse * terms);
    }
  }
};

}  // namespace myops::testing
