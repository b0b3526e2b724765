// The dispatcher's typed handle of an operator, found once for each operator and library. Knows no operator by name.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace myops {

// Op is a struct of myops/ops/<op>.h. Thread-safe. Throws c10::Error while no loaded library defines the operator, and
// looks again at the next call.
template <class Op>
const c10::TypedOperatorHandle<typename Op::Schema>& typed_handle() {
  static const auto handle = [] {
    const auto found = c10::Dispatcher::singleton().findSchema({Op::name, Op::overload_name});
    TORCH_CHECK(found.has_value(), "operator ", Op::name, " is not defined: the library myops_schema is not loaded");
    return found->template typed<typename Op::Schema>();
  }();
  return handle;
}

}  // namespace myops
