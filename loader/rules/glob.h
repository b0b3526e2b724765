// Patterns for names: `*` stands for any run of characters, `?` for any one; all else for itself. Pure.
#pragma once

#include <string_view>

namespace myops::rules {

// Does the pattern match the whole text? Takes time in proportion to the product of the lengths at most.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace myops::rules
