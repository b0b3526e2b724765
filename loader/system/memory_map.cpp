#include "loader/system/memory_map.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace myops::system {
namespace {

// Takes the text before the separator off the front.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool read_number(std::string_view text, int base, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

// "7f00-7f10 r--p 00000000 fe:00 1234       /a/lib.so" (proc_pid_maps(5)).
std::optional<Mapping> parse_line(std::string_view line) {
  Mapping mapping;
  if (!read_number(take(line, '-'), 16, mapping.start) || !read_number(take(line, ' '), 16, mapping.end)) {
    return std::nullopt;
  }
  for (int field = 0; field < 3; ++field) take(line, ' ');  // permissions, offset, device
  if (!read_number(take(line, ' '), 10, mapping.inode) || mapping.inode == 0) return std::nullopt;
  mapping.path = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  return mapping;
}

}  // namespace

std::vector<Mapping> parse_memory_map(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    if (auto mapping = parse_line(take(text, '\n'))) mappings.push_back(std::move(*mapping));
  }
  return mappings;
}

const Mapping* mapping_at(const std::vector<Mapping>& mappings, std::uint64_t address) {
  const auto found = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& mapping) {
    return mapping.start <= address && address < mapping.end;
  });
  return found == mappings.end() ? nullptr : &*found;
}

}  // namespace myops::system
