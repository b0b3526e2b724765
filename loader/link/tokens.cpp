#include "loader/link/tokens.h"

#include <utility>

namespace myops::link {
namespace {

bool is_identifier(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Length of the token `name` at the start of `text`, braces included; 0 where it is another one (elf/dl-load.c,
// is_dst).
std::size_t token_length(std::string_view text, std::string_view name) {
  const bool braces = text.starts_with('{');
  if (braces) text.remove_prefix(1);
  if (!text.starts_with(name)) return 0;
  text.remove_prefix(name.size());
  if (braces) return text.starts_with('}') ? name.size() + 2 : 0;
  return text.empty() || !is_identifier(text.front()) ? name.size() : 0;
}

}  // namespace

std::string expand_tokens(std::string_view text, const Tokens& tokens) {
  const std::pair<std::string_view, std::string_view> known[] = {
      {"ORIGIN", tokens.origin}, {"PLATFORM", tokens.platform}, {"LIB", tokens.lib}};
  std::string expanded;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    expanded += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    std::size_t length = 0;
    for (const auto& [name, value] : known) {
      length = token_length(text, name);
      if (length == 0) continue;
      if (value.empty()) return "";
      expanded += value;
      break;
    }
    if (length == 0) expanded += '$';
    text.remove_prefix(length);
  }
  return expanded;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

}  // namespace myops::link
