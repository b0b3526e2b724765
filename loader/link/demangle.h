// Demangles many names at a bounded cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace myops::link {

// A hostile file can have any number of names that expand as far as is allowed: all that one Demangler produces is
// limited.
class Demangler {
 public:
  // The demangled name; or the name itself, where it is no C++ name, could grow beyond reason, or the budget is used
  // up.
  std::string operator()(std::string_view symbol);

 private:
  static constexpr std::uint64_t kMaxBound = std::uint64_t{16} << 20;  // see demangled_bound()
  static constexpr std::size_t kMaxLength = 4096;  // of a mangled name, and of what is of use to a reader
  static constexpr std::uint64_t kBudget = std::uint64_t{32} << 20;

  std::uint64_t produced_ = 0;
};

}  // namespace myops::link
