// The x86-64 psABI levels ("Micro-Architecture Levels"), narrowest first: x86-64, x86-64-v2, -v3, -v4. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace myops::rules {

// 1 for "x86-64" … 4 for "x86-64-v4"; none for any other text.
std::optional<int> level_rank(std::string_view level);

// The psABI level of what torch itself is told to use by a value of ATEN_CPU_CAPABILITY (aten/src/ATen/native/
// DispatchStub.cpp): "default", "avx2", "avx512". "" for any other value, which torch ignores.
std::string_view level_of_capability(std::string_view capability);

// The level that asks for more of the CPU. One that is no psABI level gives way to one that is.
std::string_view wider_level(std::string_view one, std::string_view other);

}  // namespace myops::rules
