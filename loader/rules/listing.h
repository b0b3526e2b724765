// Lists of names for people. Pure.
#pragma once

#include <string>
#include <vector>

namespace myops::rules {

// "a, b, c, d, e and 6 more": at most five by name.
std::string listed(const std::vector<std::string>& names);

// "a, b": all of them.
std::string joined(const std::vector<std::string>& names, const std::string& separator = ", ");

}  // namespace myops::rules
