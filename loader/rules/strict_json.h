// JSON from a file that nobody vouches for, parsed within limits and without exceptions.
//
// Stricter than the library: a key that stands twice in one object, deep nesting and great size are errors, so that no
// document means two things and none exhausts the stack. Pure; knows nothing of what the document is for.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "loader/reason.h"

namespace myops::rules {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxJsonDepth = 32;

// Errors carry `code`; their subject is "JSON", and `found` says what is wrong and where.
Result<nlohmann::ordered_json> parse_json(std::string_view text, Code code);

}  // namespace myops::rules
