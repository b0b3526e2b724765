// What an operator that writes into an argument must refuse before it writes. Where nothing is written in truth (Meta,
// symbolic sizes, functionalization) only arguments that overlap themselves are refused.
#pragma once

#include <ATen/ExpandUtils.h>

#include "schema/contract/arguments.h"
#include "schema/contract/memory_overlap.h"

namespace myops::contract {

inline bool is_symbolic(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides(); }

// Whether it lies in memory that can be compared with another's. Functionalization's wrappers stand for values.
inline bool has_memory(const at::Tensor& tensor) {
  const bool is_wrapper = tensor.key_set().has(c10::DispatchKey::Functionalize);
  return tensor.has_storage() && !is_wrapper && !tensor.is_meta() && !is_symbolic(tensor);
}

// A size above 1 with stride 0.
inline bool is_expanded(const at::Tensor& tensor) {
  const auto sizes = tensor.sym_sizes();
  const auto strides = tensor.sym_strides();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (TORCH_GUARD_OR_FALSE(strides[d].sym_eq(0).sym_and(sizes[d].sym_gt(1)))) return true;
  }
  return false;
}

inline StridedArray array_of(const at::Tensor& tensor) {
  return {tensor.sizes().data(), tensor.strides().data(), tensor.dim(), tensor.storage_offset()};
}

inline void check_no_self_overlap(const char* op, const Argument& written) {
  const at::Tensor& tensor = written.tensor;
  const bool overlaps = is_symbolic(tensor)
                            ? is_expanded(tensor)
                            : !tensor.is_non_overlapping_and_dense() && overlaps_itself(array_of(tensor));
  TORCH_CHECK(!overlaps, op, ": ", written.name, " must not overlap itself, got shape ", tensor.sym_sizes(),
              " with strides ", tensor.sym_strides());
}

// The very same elements are fine: each is read before it is written.
inline void check_no_partial_overlap(const char* op, const Argument& written, const Argument& read) {
  if (!has_memory(written.tensor) || !has_memory(read.tensor)) return;
  if (!written.tensor.storage().is_alias_of(read.tensor.storage())) return;
  const StridedArray target = array_of(written.tensor);
  const StridedArray source = array_of(read.tensor);
  TORCH_CHECK(are_same_elements(target, source) || !share_elements(target, source), op, ": ", written.name,
              " must not share memory with ", read.name, " unless both are the same elements; clone() one of them");
}

// `out` will be resized to the broadcast shape of the inputs: it then covers other elements than those that were
// compared with theirs.
inline void check_not_resized_over(const char* op, const Argument& out, const Argument& first, const Argument& second) {
  if (!has_memory(out.tensor) || !has_memory(first.tensor) || !has_memory(second.tensor)) return;
  const auto sizes = out.tensor.sizes();
  if (sizes == first.tensor.sizes() && sizes == second.tensor.sizes()) return;
  const auto shape = at::infer_size_dimvector(first.tensor.sizes(), second.tensor.sizes());
  if (sizes == at::IntArrayRef(shape)) return;
  for (const Argument* read : {&first, &second}) {
    TORCH_CHECK(!out.tensor.storage().is_alias_of(read->tensor.storage()), op, ": ", out.name, " must have shape ",
                at::IntArrayRef(shape), " where it shares memory with ", read->name, ", got ", sizes);
  }
}

}  // namespace myops::contract
