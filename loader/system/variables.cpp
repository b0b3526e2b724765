#include "loader/system/variables.h"

#include <cstdlib>

namespace myops::system {

std::optional<std::string> variable(VariableName name) {
  const char* value = ::secure_getenv(name.text());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::vector<std::pair<std::string, std::string>> set_variables() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* name : VariableName::kAll) {
    if (const char* value = ::secure_getenv(name)) variables.emplace_back(name, value);
  }
  return variables;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::vector<std::string> split_names(std::string_view text, char separator) {
  std::vector<std::string> names;
  for (const std::string& part : split(text, separator)) {
    const std::size_t first = part.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    names.push_back(part.substr(first, part.find_last_not_of(" \t") - first + 1));
  }
  return names;
}

}  // namespace myops::system
