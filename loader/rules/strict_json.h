// JSON from a file that nobody vouches for, parsed within limits and without exceptions.
//
// Stricter than the library: a key that stands twice in one object, deep nesting, great size and many members are
// errors, so that no document means two things, none exhausts the stack, and none takes its reader long: what handles
// ordered objects looks through all members for one name. Pure; knows nothing of what the document is for.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "loader/reason.h"

namespace myops::rules {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxJsonDepth = 32;
// In all objects together; the manifest of a library with two thousand kernels has as many.
inline constexpr std::size_t kMaxJsonMembers = 8192;

// Errors carry `code`; their subject is "JSON", and `found` says what is wrong and where.
Result<boost::json::value> parse_json(std::string_view text, Code code);

// Hears a document in the order of its text.
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  virtual void object_begins() = 0;
  virtual void object_ends(std::size_t members) = 0;
  virtual void array_begins() = 0;
  virtual void array_ends(std::size_t elements) = 0;
  virtual void member(std::string_view name) = 0;  // its value comes next; the name stays until the end of the document
  virtual void text(std::string_view value) = 0;   // stays for the call
  virtual void scalar(const boost::json::value& value) = 0;  // null, a boolean or a number
};
// The same document, told instead of built. After an error, what was told is of no account.
Result<void> read_json(std::string_view text, Code code, JsonListener& listener);

}  // namespace myops::rules
