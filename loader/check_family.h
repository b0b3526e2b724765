// Which family of checks brings up which reason: the columns of the page that `myops doctor --html` writes.
//
// The one place that knows it; it does not compile with a code in no family or in two.
#pragma once

#include <span>
#include <string_view>

#include "loader/reason.h"

namespace myops {

struct CheckFamily {
  std::string_view token;       // its name, e.g. "identity"
  std::string_view question;    // what its checks ask about a file, in one sentence
  std::span<const Code> codes;  // the reasons that they bring up, in the order of all_codes()
};

// In the order in which a file meets them: first those of loader/rules/judge.cpp, then the rules of the set, then what
// was asked for, then what opening the file comes upon.
std::span<const CheckFamily> check_families();

// The one that brings up this code.
const CheckFamily& family_of(Code code);

}  // namespace myops
