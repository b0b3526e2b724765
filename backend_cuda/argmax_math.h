// Which of two elements argmax takes: the larger one, NaN above everything, the first among equals. A total order, so
// the answer does not depend on the order in which elements are compared.
#pragma once

#include <cstdint>

#include "backend_cuda/host_device.h"

namespace myops::cuda {

template <class V>
struct Candidate {
  V value;
  int64_t index;  // negative: no element
};

// A value takes the place of an earlier one.
template <class V>
MYOPS_HD bool exceeds(V challenger, V holder) {
  return challenger > holder || (challenger != challenger && holder == holder);
}

template <class V>
MYOPS_HD bool beats(const Candidate<V>& challenger, const Candidate<V>& holder) {
  if (challenger.index < 0 || holder.index < 0) {
    return challenger.index >= 0;
  }
  const bool challenger_is_nan = challenger.value != challenger.value;
  const bool holder_is_nan = holder.value != holder.value;
  if (challenger_is_nan != holder_is_nan) {
    return challenger_is_nan;
  }
  if (!challenger_is_nan && challenger.value != holder.value) {
    return challenger.value > holder.value;
  }
  return challenger.index < holder.index;
}

}  // namespace myops::cuda
