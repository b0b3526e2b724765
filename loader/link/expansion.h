// How long a demangled name can get, told from its mangled text. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace myops::link {

// No demangled form of this name is longer; saturates at kBoundless.
//
// A substitution (S_, T0_, …) stands for an earlier part of the name, which may hold substitutions itself: a name of a
// hundred characters can stand for gigabytes, and a demangler prints them all. What is bounded here is that growth:
// each substitution costs as much as the largest part that is complete before it. Where the text has constructs that
// are not followed here (expressions, lambdas, arrays, …), each of the remaining ones is taken to double everything.
std::uint64_t demangled_bound(std::string_view mangled);

inline constexpr std::uint64_t kBoundless = std::uint64_t{1} << 62;

}  // namespace myops::link
