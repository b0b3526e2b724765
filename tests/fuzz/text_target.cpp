// Small languages: lines of the kernel, versions, schemas, signatures, patterns, symbols. The first byte chooses one.
#include <iterator>
#include <string>

#include "loader/link/closure.h"
#include "loader/printable.h"
#include "loader/rules/cpp_signature.h"
#include "loader/rules/glob.h"
#include "loader/rules/schema_text.h"
#include "loader/rules/version.h"
#include "loader/system/linker_settings.h"
#include "loader/system/memory_map.h"
#include "loader/system/mounts.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {
namespace {

// The text up to the first line break, and what follows.
std::pair<std::string_view, std::string_view> halves(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {text, ""};
  return {text.substr(0, end), text.substr(end + 1)};
}

void read_map(std::string_view text) {
  for (const system::Mapping& mapping : system::parse_memory_map(text)) {
    require(mapping.path.empty() || text.find(mapping.path) != std::string_view::npos, "a path is of the text");
  }
}

void read_mounts(std::string_view text) {
  const auto [path, mounts] = halves(text);
  const std::string point = system::mount_point_in(mounts, path);
  require(!path.starts_with('/') || path.starts_with(point), "a file lies below its mount");
}

void read_schema(std::string_view text) {
  const auto [signature, schema] = halves(text);
  rules::signature_fits_schema(signature, schema);
  rules::alias_marks(text);
  rules::namespace_of(rules::operator_of(text));
  rules::without_namespace(text);
}

void read_printable(std::string_view text) {
  const std::string shown = printable(text);
  require(printable(shown) == shown, "what was made printable is");
  const std::string valid = valid_utf8(std::string(text));
  require(valid_utf8(valid) == valid, "what was made valid is");
}

void read_version(std::string_view text) {
  const auto [one, other] = halves(text);
  const auto first = rules::parse_version(one), second = rules::parse_version(other);
  if (!first || !second) return;
  require(!rules::is_older(*first, *second) || !rules::is_older(*second, *first), "one of two versions is older");
}

void read_pattern(std::string_view text) {
  const auto [pattern, name] = halves(text);
  require(rules::glob_matches("*", name), "a star matches all");
  require(!rules::glob_matches(pattern, name) || rules::glob_matches(std::string(pattern) + "*", name),
          "a longer pattern with a star matches what the shorter one does");
}

}  // namespace

void read_text(Input input) {
  static constexpr void (*kReaders[])(std::string_view) = {
      read_map,
      read_mounts,
      read_schema,
      read_printable,
      read_version,
      read_pattern,
      [](std::string_view text) { link::demangle(std::string(text)); },
      [](std::string_view text) { system::library_path_elements(text); },
  };
  if (input.empty()) return;
  kReaders[std::to_integer<std::size_t>(input.front()) % std::size(kReaders)](text_of(input.subspan(1)));
}

}  // namespace myops::fuzz
