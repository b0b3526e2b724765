// What the norms take of a row, and the values they make of it, in the computing type W: float, or double for float64.
// A row's totals and its eps are double: float would lose an eps below its range.
#pragma once

#include "backend_cuda/host_device.h"

namespace myops::cuda {

// A row's values x become (x - mean) · scale + offset: normalised. rms_norm has mean and offset 0.
template <class W>
struct Moments {
  W mean;
  W scale;   // 1 / standard deviation, or 1 / root mean square
  W offset;  // what rounding the mean to W cost
};

template <class W>
MYOPS_HD W normalised(W x, const Moments<W>& row) {
  return (x - row.mean) * row.scale + row.offset;
}

// The gradient of a normalised row is linear in the gradient g of its normalised values and in x:
// d x = g · scale + ((x - mean) · of_deviation + constant).
template <class W>
struct RowGradient {
  W of_deviation;
  W constant;
};

template <class W>
MYOPS_HD W input_gradient(W g, W x, const Moments<W>& row, const RowGradient<W>& gradient) {
  return g * row.scale + ((x - row.mean) * gradient.of_deviation + gradient.constant);
}

}  // namespace myops::cuda
