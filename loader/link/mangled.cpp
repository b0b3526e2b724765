#include "loader/link/mangled.h"

#include <algorithm>
#include <charconv>

namespace myops::link {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of the <source-name> ("10Dispatcher") at the start of `text`, 0 where there is none.
std::size_t source_name_length(std::string_view text) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || text.empty() || !is_digit(text.front())) return 0;
  const auto digits = static_cast<std::size_t>(end - text.data());
  return size > 0 && size <= text.size() - digits ? digits + size : 0;
}

// The nested name at the start of what a mangled name says, past its qualifiers; `of_class` where it is a class: of a
// vtable and the like.
std::string_view nested_name(std::string_view text, bool& of_class) {
  if (!text.starts_with("_Z")) return {};
  text.remove_prefix(2);
  of_class = text.starts_with("TV") || text.starts_with("TI") || text.starts_with("TS") || text.starts_with("TT");
  if (of_class || text.starts_with("GV")) text.remove_prefix(2);
  if (!text.starts_with('N')) return {};
  const std::size_t start = text.find_first_not_of("rVKRO", 1);
  return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

}  // namespace

EnclosingScopes::EnclosingScopes(std::string_view mangled) {
  bool of_class = false;
  const std::string_view name = nested_name(mangled, of_class);
  std::size_t length = name.starts_with("St") ? 2 : 0;
  if (length > 0) scopes_[count_++] = name.substr(0, length);
  while (count_ < kMaxDepth) {
    const std::size_t next = source_name_length(name.substr(length));
    if (next == 0) break;
    length += next;
    // The last source name is the entity itself, where nothing but its end follows.
    if (!of_class && name.substr(length).starts_with('E')) break;
    scopes_[count_++] = name.substr(0, length);
  }
  std::reverse(scopes_.begin(), scopes_.begin() + static_cast<std::ptrdiff_t>(count_));
}

}  // namespace myops::link
