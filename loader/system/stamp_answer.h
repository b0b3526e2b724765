// The options of a stamp, and its result as an answer of the C ABI.
#pragma once

#include <string_view>

#include "loader/reason.h"
#include "loader/system/answer.h"

namespace myops::system {

// Status 1 where the plugin cannot be stamped. Errors are wrong options.
Result<Answer> stamp_answer(std::string_view options);

}  // namespace myops::system
