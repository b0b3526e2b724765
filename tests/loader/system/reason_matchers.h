// What a test says of a Reason.
#pragma once

#include <gmock/gmock.h>

#include "loader/reason.h"

namespace myops {

inline void PrintTo(const Reason& reason, std::ostream* out) { *out << to_text(reason); }

namespace testing {

// Code and subject, and what `expected` and `found` hold.
inline auto is_reason(Code code, const ::testing::Matcher<std::string>& subject,
                      const ::testing::Matcher<std::string>& expected, const ::testing::Matcher<std::string>& found) {
  return ::testing::AllOf(
      ::testing::Field("code", &Reason::code, code), ::testing::Field("subject", &Reason::subject, subject),
      ::testing::Field("expected", &Reason::expected, expected), ::testing::Field("found", &Reason::found, found));
}

}  // namespace testing
}  // namespace myops
