// What an operator that writes into an argument must refuse before it writes.
#pragma once

#include <ATen/MemoryOverlap.h>

#include "backend_cpu/memory_overlap.h"
#include "schema/contract/arguments.h"

namespace myops::cpu {

inline void check_no_self_overlap(const char* op, const contract::Argument& written) {
  const at::Tensor& tensor = written.tensor;
  TORCH_CHECK(!surely_overlaps(tensor.sizes().data(), tensor.strides().data(), tensor.dim()), op, ": ", written.name,
              " must not overlap itself, got shape ", tensor.sizes(), " with strides ", tensor.strides());
}

// The very same elements are fine: each is read before it is written.
inline void check_no_partial_overlap(const char* op, const contract::Argument& written,
                                     const contract::Argument& read) {
  TORCH_CHECK(at::get_overlap_status(written.tensor, read.tensor) != at::MemOverlapStatus::Partial, op, ": ",
              written.name, " must not share memory with ", read.name,
              " unless both are the same elements; clone() one of them");
}

}  // namespace myops::cpu
