// Text with nested brackets and quotes, as schemas and C++ types have them, taken apart. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace myops::rules {

// Without the blanks around it.
std::string_view trimmed(std::string_view text);

// Position of the first of the characters `wanted` that stands outside of (), [], <> and quotes; npos for none.
std::size_t find_outside(std::string_view text, std::string_view wanted);

// The parts between commas outside of brackets and quotes, trimmed; none of an empty text.
std::vector<std::string_view> split_outside(std::string_view text);

// What stands between the bracket at `open` and the `closing` one that belongs to it; none where nothing does.
std::optional<std::string_view> inside(std::string_view text, std::size_t open, char closing);

}  // namespace myops::rules
