// Environment variables. Read with secure_getenv: a set-user-id program takes nothing from its caller's environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace myops::system {

// The variable's value; none where it is not set, or where the process runs with raised privileges.
std::optional<std::string> variable(const char* name);

// The parts between separators, empty ones included: "a::b" gives "a", "", "b"; "" gives none.
std::vector<std::string> split(std::string_view text, char separator);

// The same without empty parts and without blanks around a part: for lists of names.
std::vector<std::string> split_names(std::string_view text, char separator);

}  // namespace myops::system
