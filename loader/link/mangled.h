// What the text of a mangled name (Itanium C++ ABI, "Mangling") shows without demangling it. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace myops::link {

// Enclosing scopes of a mangled name as pieces of it, innermost first: of _ZN3c1010Dispatcher4callEv "3c1010Dispatcher"
// and "3c10". Of a vtable or type info: the class itself too. Templates and what lies within them are left out. Names
// that are not mangled, or lie in the global namespace, have none.
class EnclosingScopes {
 public:
  explicit EnclosingScopes(std::string_view mangled);

  const std::string_view* begin() const { return scopes_.data(); }
  const std::string_view* end() const { return scopes_.data() + count_; }
  bool empty() const { return count_ == 0; }

 private:
  static constexpr std::size_t kMaxDepth = 6;
  std::array<std::string_view, kMaxDepth> scopes_{};
  std::size_t count_ = 0;
};

}  // namespace myops::link
