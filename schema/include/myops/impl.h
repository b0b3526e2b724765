// How a key library registers a kernel: inside TORCH_LIBRARY_IMPL(myops, CPU, m),
//
//   myops::impl<myops::ops::rms_norm>(m, rms_norm);                                        // C++ signature checked
//   myops::impl_boxed<myops::ops::argmax>(m, torch::CppFunction::makeFallthrough());
//
// torch compares C++ signatures only while it registers, in a static constructor, where a difference kills the process.
// Here it is a compile error.
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <torch/library.h>

#include <string>
#include <type_traits>
#include <utility>

namespace myops {

namespace detail {

template <class Function>
struct WithKeySet;
template <class Return, class... Args>
struct WithKeySet<Return(Args...)> {
  using Type = Return(c10::DispatchKeySet, Args...);
};

// The four forms of one schema that the dispatcher takes: its own, and without SymInt; each with a leading key set or
// not.
template <class Schema, class Function>
inline constexpr bool kMatches =
    std::is_same_v<Function, Schema> || std::is_same_v<Function, typename WithKeySet<Schema>::Type> ||
    std::is_same_v<Function, typename c10::fn_remove_symint<Schema>::type> ||
    std::is_same_v<Function, typename WithKeySet<typename c10::fn_remove_symint<Schema>::type>::Type>;

template <class Op>
std::string qualified_name() {
  const std::string overload = Op::overload_name;
  return overload.empty() ? std::string(Op::name) : Op::name + ("." + overload);
}

}  // namespace detail

// Registers `kernel` for Op under the key of `m`.
template <class Op, class Function>
void impl(torch::Library& m, Function* kernel) {
  static_assert(detail::kMatches<typename Op::Schema, Function>,
                "the kernel's C++ signature must be Op::Schema, character for character (const at::Tensor& is not "
                "at::Tensor), optionally with a leading c10::DispatchKeySet");
  m.impl(detail::qualified_name<Op>().c_str(), kernel);
}

// Registers a boxed kernel or a fallthrough: these have no C++ signature to check.
template <class Op>
void impl_boxed(torch::Library& m, torch::CppFunction kernel) {
  m.impl(detail::qualified_name<Op>().c_str(), std::move(kernel));
}

}  // namespace myops
