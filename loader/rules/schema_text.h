// Canonical schema text ("myops::myadd_(Tensor(a!) self, Tensor other) -> Tensor(a!)"), as far as the rules read it.
// Pure; what is part of the text is a view of it.
#pragma once

#include <string>
#include <string_view>

namespace myops::rules {

// "myops::myadd.out" of "myops::myadd.out(Tensor self, …) -> …".
std::string_view operator_of(std::string_view schema);

// "myops" of "myops::myadd"; "" where there is no namespace.
std::string_view namespace_of(std::string_view op);

// Does torch itself define the operator? Its namespaces are there wherever torch is, also where no dispatcher was
// asked.
bool is_of_torch(std::string_view op);

// The schema without its namespace: the form in which schemas are compared.
std::string_view without_namespace(std::string_view schema);

struct AliasMarks {
  bool aliases = false;          // an argument or result carries an alias annotation: "(a)", "(a!)"
  bool mutates = false;          // one of them is written to: "(a!)"
  bool returns_view = false;     // a result is an alias that is not written to: "-> Tensor(a)"
  bool returns_written = false;  // a result is what was written to: "-> Tensor(a!)"
};
AliasMarks alias_marks(std::string_view schema);

}  // namespace myops::rules
