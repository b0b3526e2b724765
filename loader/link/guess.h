// Guesses which library a missing symbol was expected in. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader/link/closure.h"

namespace myops::link {

class LibraryGuess {
 public:
  // Walks the symbols of the closure once, for all of `names`; both must outlive the guess. What the newly opened files
  // define says nothing: it is there.
  LibraryGuess(const Closure& closure, std::span<const std::string_view> names);

  // SONAME of the library that defines most (strong) symbols of the innermost class or namespace of `name` that any
  // library in scope defines something of; where none does, what a short table says of the namespace or prefix; else
  // "".
  std::string of(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, std::map<std::size_t, std::size_t>> counts_;  // scope → object → symbols
  const Closure& closure_;
};

}  // namespace myops::link
