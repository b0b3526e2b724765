// Dynamic string tokens: $ORIGIN, $LIB and $PLATFORM in DT_RPATH, DT_RUNPATH and DT_NEEDED (ld.so(8)). Pure.
#pragma once

#include <string>
#include <string_view>

namespace myops::link {

struct Tokens {
  std::string_view origin;    // folder of the object that the text comes from
  std::string_view lib;       // "lib/x86_64-linux-gnu", "lib64"
  std::string_view platform;  // "x86_64"
};

// The text with its tokens replaced, with or without braces. "$" before anything else stays as it is. "" where a token
// has no value: glibc drops such a folder.
std::string expand_tokens(std::string_view text, const Tokens& tokens);

// The folder of a path: what $ORIGIN stands for in a file there.
std::string_view folder_of(std::string_view path);

}  // namespace myops::link
