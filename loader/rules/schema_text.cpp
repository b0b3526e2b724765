#include "loader/rules/schema_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace myops::rules {
namespace {

// The namespace can only stand before the arguments: "::" may also occur in a default value.
std::size_t name_start(std::string_view schema) {
  const std::size_t separator = schema.substr(0, schema.find('(')).find("::");
  return separator == std::string_view::npos ? 0 : separator + 2;
}

bool ends_a_type(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ']' || c == '?';
}

}  // namespace

std::string_view operator_of(std::string_view schema) { return schema.substr(0, schema.find('(')); }

std::string_view namespace_of(std::string_view op) {
  const std::size_t separator = op.find("::");
  return op.substr(0, separator == std::string_view::npos ? 0 : separator);
}

bool is_of_torch(std::string_view op) {
  constexpr std::string_view kNamespaces[] = {"aten",   "prim",   "prims",  "rngprims", "quantized",
                                              "sparse", "mkldnn", "onednn", "c10d",     "_c10d_functional"};
  return std::find(std::begin(kNamespaces), std::end(kNamespaces), namespace_of(op)) != std::end(kNamespaces);
}

std::string_view without_namespace(std::string_view schema) { return schema.substr(name_start(schema)); }

AliasMarks alias_marks(std::string_view schema) {
  AliasMarks marks;
  const std::size_t arguments = schema.find('(');
  if (arguments == std::string_view::npos) return marks;
  const std::size_t results = std::min(schema.rfind("->"), schema.size());
  char quote = '\0';
  for (std::size_t i = arguments + 1; i < schema.size(); ++i) {
    const char c = schema[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' && ends_a_type(schema[i - 1])) {
      const std::string_view annotation = schema.substr(i, schema.find(')', i) - i);
      marks.aliases = true;
      const bool written = annotation.find('!') != std::string_view::npos;
      marks.mutates |= written;
      if (i > results) (written ? marks.returns_written : marks.returns_view) = true;
    }
  }
  return marks;
}

}  // namespace myops::rules
