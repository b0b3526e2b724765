#include "loader/link/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "loader/link/closure.h"
#include "loader/link/expansion.h"

namespace myops::link {

std::string Demangler::operator()(std::string_view symbol) {
  std::string name(symbol);
  // abi::__cxa_demangle takes bare types too ("i" is int): only names of entities are meant here.
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxLength || produced_ > kBudget) return name;
  if (demangled_bound(symbol) > kMaxBound) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (!text || status != 0) return name;
  const std::string_view demangled = text.get();
  produced_ += demangled.size();
  return demangled.size() > kMaxLength ? name : std::string(demangled);
}

std::string demangle(const std::string& symbol) { return Demangler()(symbol); }

}  // namespace myops::link
