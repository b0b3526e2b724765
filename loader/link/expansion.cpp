#include "loader/link/expansion.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

namespace myops::link {
namespace {

// What one letter stands for at most: "Ss" is std::basic_string<char, std::char_traits<char>, std::allocator<char> >.
constexpr std::uint64_t kLetter = 80;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return std::min(kBoundless, a + b); }

// Length of a substitution or template parameter (S_, S1Z_, T_, T0_) at the start of `text`; 0 where there is none.
std::size_t reference_length(std::string_view text) {
  if (!text.starts_with('S') && !text.starts_with('T')) return 0;
  std::size_t end = 1;
  while (end < text.size() && (is_digit(text[end]) || is_upper(text[end]))) ++end;
  return end < text.size() && text[end] == '_' ? end + 1 : 0;
}

// Parts of a name are components (a type, a prefix of a nested name) or lists of them (arguments). A component may be
// substituted later, a list may not.
struct Group {
  bool is_list;                 // I…E, J…E, F…E, and the whole; not N…E and Z…E, which grow as one component
  bool ends_component = true;   // not Z…E: the entity follows
  std::uint64_t size = 0;       // of all of it
  std::uint64_t component = 0;  // of the component at its end
};

class Bound {
 public:
  explicit Bound(std::string_view text) : rest_(text), groups_{{true}} {}

  std::uint64_t compute() {
    while (!rest_.empty() && step()) {
    }
    std::uint64_t total = 0;
    for (const Group& group : groups_) total = sum(total, group.size);
    return pessimistic(total);
  }

 private:
  // One construct; false where it is not followed.
  bool step();
  bool step_letter();
  bool step_source_name();
  bool step_literal();

  void grow(std::uint64_t size) {
    groups_.back().size = sum(groups_.back().size, size);
    groups_.back().component = sum(groups_.back().component, size);
  }
  void take(std::size_t length, std::uint64_t size) {
    rest_.remove_prefix(length);
    grow(size);
  }
  // The component at the end of the innermost group is complete, unless template arguments follow.
  void complete() {
    Group& group = groups_.back();
    largest_ = std::max(largest_, group.component);
    if (group.is_list && !rest_.starts_with('I')) group.component = 0;
  }
  bool open(Group group) {
    rest_.remove_prefix(1);
    groups_.push_back(group);
    return true;
  }
  bool close();

  // The rest, letter for letter, with each substitution doubling all that there is.
  std::uint64_t pessimistic(std::uint64_t total) const;

  std::string_view rest_;
  std::vector<Group> groups_;
  std::uint64_t largest_ = kLetter;  // complete component
};

bool Bound::close() {
  if (groups_.size() == 1) return false;
  const Group closed = groups_.back();
  groups_.pop_back();
  rest_.remove_prefix(1);
  grow(closed.size);
  if (closed.ends_component) complete();
  return true;
}

bool Bound::step_source_name() {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest_.data());
  if (error != std::errc{} || size == 0 || size > rest_.size() - digits) return false;
  take(digits + size, size + kLetter);
  complete();
  return true;
}

// L, a builtin type, a value, E.
bool Bound::step_literal() {
  const std::size_t end = rest_.find('E');
  if (rest_.size() < 3 || !is_lower(rest_[1]) || end == std::string_view::npos) return false;
  const std::string_view value = rest_.substr(2, end - 2);
  if (!std::all_of(value.begin(), value.end(), [](char c) { return is_digit(c) || c == 'n'; })) return false;
  take(end + 1, end + kLetter);
  complete();
  return true;
}

bool Bound::step() {
  if (const std::size_t length = reference_length(rest_)) {
    take(length, sum(largest_, kLetter));
    complete();
    return true;
  }
  if (is_digit(rest_.front())) return step_source_name();
  // A conversion operator's template parameters stand for arguments that come after them.
  if (rest_.starts_with("cv")) return false;
  if (is_lower(rest_.front())) {
    // A builtin type, or half of an operator's name.
    const bool continues = rest_.front() == 'r';
    take(1, kLetter);
    if (!continues) complete();
    return true;
  }
  return step_letter();
}

bool Bound::step_letter() {
  const char next = rest_.size() > 1 ? rest_[1] : '\0';
  switch (rest_.front()) {
    case 'N':
      return open({false});
    case 'Z':
      return open({false, false});
    case 'I':
    case 'J':
    case 'F':
      return open({true});
    case 'E':
      return close();
    case 'L':
      return step_literal();
    case 'P':  // pointers, references, qualifiers: of what follows
    case 'R':
    case 'O':
    case 'K':
    case 'V':
    case 'B':  // an ABI tag: a source name follows
      take(1, kLetter);
      return true;
    case 'S':  // St, Sa, Ss, …; or the end of an operator's name
      take(is_lower(next) ? 2 : 1, 2 * kLetter);
      if (next != 't') complete();
      return true;
    case 'C':  // C1, D2, …: the name of the class again
    case 'D':
      if (!is_digit(next)) return false;
      take(2, rest_.size() + kLetter);
      return true;
    default:
      return false;
  }
}

std::uint64_t Bound::pessimistic(std::uint64_t total) const {
  total = sum(total, rest_.size() * kLetter);
  for (std::string_view text = rest_; !text.empty(); text.remove_prefix(1)) {
    if (reference_length(text) > 0) total = sum(total, total);
    // A pack expansion repeats its pattern for each element of the pack.
    if (text.starts_with("Dp")) total = total > kBoundless / (total + 1) ? kBoundless : total * total;
  }
  return total;
}

}  // namespace

std::uint64_t demangled_bound(std::string_view mangled) {
  if (mangled.starts_with("_Z")) mangled.remove_prefix(2);
  for (const std::string_view special : {"TV", "TI", "TS", "TT", "GV"}) {
    if (!mangled.starts_with(special)) continue;
    mangled.remove_prefix(2);
    break;
  }
  return Bound(mangled).compute();
}

}  // namespace myops::link
