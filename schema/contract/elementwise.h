// The contract of the elementwise operators: one dtype, one device, shapes that broadcast.
#pragma once

#include "schema/contract/arguments.h"
#include "schema/contract/written_memory.h"

namespace myops::contract {

// Whether dimension `d`, counted from the last, surely stops `from` from broadcasting to `to`. Sizes that torch.compile
// does not know yet are left to the operator itself.
inline bool differs(c10::SymIntArrayRef from, c10::SymIntArrayRef to, size_t d, bool both_ways) {
  const c10::SymInt& a = from[from.size() - 1 - d];
  const c10::SymInt& b = to[to.size() - 1 - d];
  if (const auto x = a.maybe_as_int(), y = b.maybe_as_int(); x && y) {
    return *x != *y && *x != 1 && !(both_ways && *y == 1);
  }
  c10::SymBool apart = a.sym_ne(b).sym_and(a.sym_ne(1));
  if (both_ways) {
    apart = apart.sym_and(b.sym_ne(1));
  }
  return TORCH_GUARD_OR_FALSE(apart);
}

inline bool broadcasts(c10::SymIntArrayRef from, c10::SymIntArrayRef to, bool both_ways) {
  if (!both_ways && from.size() > to.size()) {
    return false;
  }
  for (size_t d = 0; d < from.size() && d < to.size(); ++d) {
    if (differs(from, to, d, both_ways)) {
      return false;
    }
  }
  return true;
}

// Two inputs whose result has the broadcast shape.
inline void check_pair(const char* op, const Argument& first, const Argument& second) {
  check_dtype(op, first, Dtypes::kNumbers);
  check_alike(op, second, first);
  TORCH_CHECK(broadcasts(second.tensor.sym_sizes(), first.tensor.sym_sizes(), true), op, ": ", second.name,
              " must have a shape that broadcasts with ", first.name, "'s ", first.tensor.sym_sizes(), ", got ",
              second.tensor.sym_sizes());
}

// A result that is written into `self`: it cannot grow.
inline void check_pair_inplace(const char* op, const Argument& self, const Argument& other) {
  check_dtype(op, self, Dtypes::kNumbers);
  check_alike(op, other, self);
  TORCH_CHECK(broadcasts(other.tensor.sym_sizes(), self.tensor.sym_sizes(), false), op, ": ", other.name,
              " must have a shape that broadcasts to ", self.name, "'s ", self.tensor.sym_sizes(), ", got ",
              other.tensor.sym_sizes());
  check_no_self_overlap(op, self);
  check_no_partial_overlap(op, self, other);
}

// A result that is written into `out`, which takes the broadcast shape.
inline void check_pair_out(const char* op, const Argument& first, const Argument& second, const Argument& out) {
  check_pair(op, first, second);
  check_alike(op, out, first);
  check_no_self_overlap(op, out);
  check_no_partial_overlap(op, out, first);
  check_no_partial_overlap(op, out, second);
  check_not_resized_over(op, out, first, second);
}

}  // namespace myops::contract
