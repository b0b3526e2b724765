#include "loader/rules/cpp_signature.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "loader/rules/bracketed_text.h"

namespace myops::rules {
namespace {

using Kinds =
    std::vector<std::string>;  // schema types without annotations: "Tensor", "int[]", "float?"; "" = not known

// "at::Tensor const&" → "at::Tensor".
std::string_view bare(std::string_view type) {
  for (;;) {
    type = trimmed(type);
    if (type.ends_with('&')) {
      type.remove_suffix(1);
    } else if (type.ends_with(" const")) {
      type.remove_suffix(6);
    } else if (type.starts_with("const ")) {
      type.remove_prefix(6);
    } else {
      return type;
    }
  }
}

struct Row {
  std::string_view cpp, schema;
};

// Types as the demangler prints them.
constexpr Row kPlain[] = {{"at::Tensor", "Tensor"}, {"double", "float"}, {"long", "int"},          {"int64_t", "int"},
                          {"c10::SymInt", "int"},   {"bool", "bool"},    {"c10::Scalar", "Scalar"}};
constexpr Row kStrings[] = {{"std::basic_string_view<char", "str"},
                            {"c10::basic_string_view<char", "str"},
                            {"std::basic_string<char", "str"},
                            {"std::__cxx11::basic_string<char", "str"}};
constexpr Row kTemplates[] = {{"std::optional<", "?"}, {"c10::optional<", "?"}, {"c10::ArrayRef<", "[]"},
                              {"std::vector<", "[]"},  {"c10::List<", "[]"},    {"c10::OptionalArrayRef<", "[]?"}};

const Row* row_of_start(const auto& rows, std::string_view type) {
  const auto row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return type.starts_with(r.cpp); });
  return row == std::end(rows) ? nullptr : row;
}

// "std::optional<c10::ArrayRef<long> >" → "int[]?"; "" for a type that is not known here.
std::string kind_of_cpp(std::string_view type) {
  constexpr int kMostLayers = 4;  // no schema type has more
  std::string suffix;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    type = bare(type);
    const Row* outer = row_of_start(kTemplates, type);
    if (!outer) break;
    const auto arguments = split_outside(inside(type, outer->cpp.size() - 1, '>').value_or(""));
    if (arguments.empty()) return "";
    suffix.insert(0, outer->schema);
    type = arguments.front();
  }
  for (const Row& row : kPlain) {
    if (type == row.cpp) return std::string(row.schema) + suffix;
  }
  const Row* text = row_of_start(kStrings, type);
  return text ? std::string(text->schema) + suffix : "";
}

// "Tensor(a!) self" → "Tensor", "int[1]? dim=None" → "int[]?"; "" for a type that has no row above.
std::string kind_of_schema(std::string_view argument) {
  std::string_view type = argument.substr(0, find_outside(argument, " "));
  const std::size_t base_end = type.find_first_of("([?");
  std::string kind(type.substr(0, base_end));
  if (kind == "SymInt") kind = "int";
  constexpr std::string_view kKnown[] = {"Tensor", "float", "int", "bool", "Scalar", "str"};
  if (std::find(std::begin(kKnown), std::end(kKnown), kind) == std::end(kKnown)) return "";
  type.remove_prefix(std::min(base_end, type.size()));
  while (!type.empty()) {
    const char open = type.front();
    if (open == '?') {
      kind += '?';
      type.remove_prefix(1);
      continue;
    }
    const auto content = inside(type, 0, open == '(' ? ')' : ']');
    if (!content) return "";
    if (open == '[') kind += "[]";  // a size and an alias annotation do not matter
    type.remove_prefix(content->size() + 2);
  }
  return kind;
}

struct Shape {
  Kinds arguments;
  Kinds results;
};

std::optional<Shape> shape_of_cpp(std::string_view signature) {
  const std::size_t open = find_outside(signature, "(");
  const auto arguments = open == std::string_view::npos ? std::nullopt : inside(signature, open, ')');
  if (!arguments) return std::nullopt;
  Shape shape;
  for (const std::string_view type : split_outside(*arguments)) {
    if (shape.arguments.empty() && bare(type) == "c10::DispatchKeySet") continue;
    shape.arguments.push_back(kind_of_cpp(type));
  }
  const std::string_view result = bare(signature.substr(0, open));
  constexpr std::string_view kTuple = "std::tuple<";
  if (result.starts_with(kTuple)) {
    for (const auto type : split_outside(inside(result, kTuple.size() - 1, '>').value_or(""))) {
      shape.results.push_back(kind_of_cpp(type));
    }
  } else if (result != "void") {
    shape.results.push_back(kind_of_cpp(result));
  }
  return shape;
}

std::optional<Shape> shape_of_schema(std::string_view schema) {
  const std::size_t open = schema.find('(');
  const auto arguments = open == std::string_view::npos ? std::nullopt : inside(schema, open, ')');
  if (!arguments) return std::nullopt;
  Shape shape;
  for (const std::string_view argument : split_outside(*arguments)) {
    if (argument == "...") return std::nullopt;
    if (argument != "*") shape.arguments.push_back(kind_of_schema(argument));
  }
  constexpr std::string_view kArrow = " -> ";
  std::string_view results = schema.substr(open + arguments->size() + 2);
  if (!results.starts_with(kArrow)) return std::nullopt;
  results.remove_prefix(kArrow.size());
  if (results == "...") return std::nullopt;
  if (results.starts_with('(')) results = inside(results, 0, ')').value_or("");
  for (const std::string_view result : split_outside(results)) shape.results.push_back(kind_of_schema(result));
  return shape;
}

bool agree(const Kinds& one, const Kinds& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; });
}

}  // namespace

bool signature_fits_schema(std::string_view signature, std::string_view schema) {
  const auto cpp = shape_of_cpp(signature);
  const auto declared = shape_of_schema(schema);
  if (!cpp || !declared) return true;
  return agree(cpp->arguments, declared->arguments) && agree(cpp->results, declared->results);
}

}  // namespace myops::rules
