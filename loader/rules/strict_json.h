// JSON from a file that nobody vouches for, parsed within limits and without exceptions.
//
// Stricter than the library: a key that stands twice in one object, deep nesting, great size and many members are
// errors, so that no document means two things, none exhausts the stack, and none takes its reader long: what handles
// ordered objects looks through all members for one name. Pure; knows nothing of what the document is for.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "loader/reason.h"

namespace myops::rules {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxJsonDepth = 32;
// In all objects together; the manifest of a library with two thousand kernels has as many.
inline constexpr std::size_t kMaxJsonMembers = 8192;

// Errors carry `code`; their subject is "JSON", and `found` says what is wrong and where. The value lies in `memory`.
Result<boost::json::value> parse_json(std::string_view text, Code code, boost::json::storage_ptr memory = {});

}  // namespace myops::rules
