#include "loader/rules/cpu_level.h"

#include <iterator>

namespace myops::rules {

std::optional<int> level_rank(std::string_view level) {
  constexpr std::string_view kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (std::size_t i = 0; i < std::size(kLevels); ++i) {
    if (level == kLevels[i]) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::string_view level_of_capability(std::string_view capability) {
  if (capability == "default") return "x86-64";
  if (capability == "avx2") return "x86-64-v3";
  if (capability == "avx512") return "x86-64-v4";
  return "";
}

std::string_view wider_level(std::string_view one, std::string_view other) {
  if (one.empty() || other.empty()) return one.empty() ? other : one;
  return level_rank(other).value_or(0) > level_rank(one).value_or(0) ? other : one;
}

}  // namespace myops::rules
