#include "loader/rules/bracketed_text.h"

#include <algorithm>

namespace myops::rules {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::size_t find_outside(std::string_view text, std::string_view wanted) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    if (depth == 0 && std::find(wanted.begin(), wanted.end(), c) != wanted.end()) return i;  // of one or two: no call
    if (c == '\'' || c == '"') quote = c;
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || (c == '>' && !is_arrow)) --depth;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_outside(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!trimmed(text).empty()) {
    const std::size_t comma = find_outside(text, ",");
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return parts;
}

std::optional<std::string_view> inside(std::string_view text, std::size_t open, char closing) {
  const std::size_t length = find_outside(text.substr(open + 1), std::string_view(&closing, 1));
  if (length == std::string_view::npos) return std::nullopt;
  return text.substr(open + 1, length);
}

}  // namespace myops::rules
