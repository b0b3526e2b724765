#include "loader/rules/listing.h"

#include <algorithm>

namespace myops::rules {

std::string joined(const std::vector<std::string>& names, const std::string& separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  if (names.size() <= kShown) return joined(names);
  const std::vector<std::string> shown(names.begin(), names.begin() + kShown);
  return joined(shown) + " and " + std::to_string(names.size() - kShown) + " more";
}

}  // namespace myops::rules
