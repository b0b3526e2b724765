// GoogleMock matchers over reasons: a test says which code, what was expected and what was found, not only "refused".
//
//   EXPECT_THAT(verdict.reasons, HasReason(Code::kTorchVersionMismatch, "2.11.0", "2.15.0"));
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "loader/reason.h"

namespace myops {

// How GoogleTest prints a reason in a failure.
inline void PrintTo(const Reason& reason, std::ostream* out) {
  *out << token(reason.code) << "{subject: " << reason.subject << ", expected: " << reason.expected
       << ", found: " << reason.found << ", hint: " << reason.hint << "}";
}
inline void PrintTo(Code code, std::ostream* out) { *out << token(code); }

}  // namespace myops

namespace myops::testing {

using TextMatcher = ::testing::Matcher<const std::string&>;

// One reason with this code, and with `expected` and `found` that match.
inline auto IsReason(Code code, TextMatcher expected = ::testing::_, TextMatcher found = ::testing::_) {
  return ::testing::AllOf(::testing::Field("code", &Reason::code, code),
                          ::testing::Field("expected", &Reason::expected, expected),
                          ::testing::Field("found", &Reason::found, found));
}

// The same, and about this subject.
inline auto IsReasonAbout(TextMatcher subject, Code code, TextMatcher expected = ::testing::_,
                          TextMatcher found = ::testing::_) {
  return ::testing::AllOf(::testing::Field("subject", &Reason::subject, subject), IsReason(code, expected, found));
}

// A list of reasons that has such a one among others.
inline auto HasReason(Code code, TextMatcher expected = ::testing::_, TextMatcher found = ::testing::_) {
  return ::testing::Contains(IsReason(code, expected, found));
}

// A list of reasons that has none with this code.
inline auto HasNo(Code code) {
  return ::testing::Not(::testing::Contains(::testing::Field("code", &Reason::code, code)));
}

}  // namespace myops::testing
