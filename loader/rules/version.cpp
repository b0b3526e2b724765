#include "loader/rules/version.h"

#include <algorithm>

namespace myops::rules {
namespace {

constexpr std::size_t kMaxDigits = 9;  // fits an unsigned

std::size_t digits_at_start(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

}  // namespace

std::string Version::minor_text() const { return std::to_string(major()) + "." + std::to_string(minor()); }

bool Version::is_development() const { return !suffix.empty() && !suffix.starts_with(".post"); }

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  for (;;) {
    const std::size_t digits = digits_at_start(text);
    if (digits == 0 || digits > kMaxDigits) return std::nullopt;
    version.numbers.push_back(static_cast<unsigned>(std::stoul(std::string(text.substr(0, digits)))));
    text.remove_prefix(digits);
    if (!text.starts_with('.') || digits_at_start(text.substr(1)) == 0) break;
    text.remove_prefix(1);
  }
  version.suffix = text.substr(0, text.find('+'));
  return version;
}

bool is_older(const Version& one, const Version& other) { return one.numbers < other.numbers; }

}  // namespace myops::rules
