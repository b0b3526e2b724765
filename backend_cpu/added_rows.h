// Rows of input + residual, as they are rounded: what add_rms_norm and add_layer_norm normalise.
#pragma once

#include "backend_cpu/row_values.h"

namespace myops::cpu {

template <class T>
struct AddedRows {
  const Rows<T>& input;
  const Rows<T>& residual;
  int64_t size;

  // Writes a row's sum and gives it as the type it is computed in. The offsets are those of the row in each input;
  // `buffer` holds two rows, and the result may be its first.
  const Wide<T>* operator()(int64_t input_offset, int64_t residual_offset, T* sum_row, Wide<T>* buffer) const {
    const Wide<T>* a = read_row(input.data + input_offset, input.stride, size, buffer);
    const Wide<T>* b = read_row(residual.data + residual_offset, residual.stride, size, buffer + size);
    Wide<T>* values = output_row(sum_row, buffer);
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) {
      values[i] = a[i] + b[i];
    }
    write_row(values, size, sum_row);
    return read_row(sum_row, 1, size, buffer);
  }
};

}  // namespace myops::cpu
