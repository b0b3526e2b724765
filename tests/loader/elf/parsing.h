// Parses arrays, and matches what comes out.
#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "loader/elf/elf_facts.h"

namespace myops {

inline void PrintTo(const Reason& reason, std::ostream* out) {
  *out << token(reason.code) << " of '" << reason.subject << "', expected '" << reason.expected << "', found '"
       << reason.found << "'";
}

}  // namespace myops

namespace myops::elf {

// For the messages of failed expectations.
inline void PrintTo(const Result<ElfFacts>& result, std::ostream* out) {
  *out << (result ? "facts of " + result->soname : to_text(result.error()));
}

inline Result<ElfFacts> parse(std::span<const std::byte> bytes, Depth depth = Depth::kSymbols) {
  return parse_elf(SpanBytes(bytes), depth);
}

inline Result<ElfFacts> parse(const std::string& text) { return parse(std::as_bytes(std::span(text))); }

// A Result that failed for this reason; the texts are strings or matchers.
template <class Subject, class Expected, class Found>
auto fails_with(Code code, Subject subject, Expected expected, Found found) {
  using testing::Field;
  const testing::Matcher<const Reason&> reason =
      testing::AllOf(Field("code", &Reason::code, code), Field("subject", &Reason::subject, subject),
                     Field("expected", &Reason::expected, expected), Field("found", &Reason::found, found));
  return testing::ResultOf(
      "error",
      [](const auto& result) { return result ? Reason{Code::kOpenFailed, "no error", "", "", ""} : result.error(); },
      reason);
}

inline std::vector<std::string> names_of(const std::vector<Symbol>& symbols) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols) names.emplace_back(symbol.name);
  return names;
}

}  // namespace myops::elf
