#include "loader/elf/first_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "loader/printable.h"

namespace myops::elf {
namespace {

using namespace std::string_view_literals;

struct Kind {
  std::string_view magic;
  std::string_view name;
};

// Longest and surest first. (Java classes share the magic of universal Mach-O files; nobody names one .so.)
constexpr Kind kKinds[] = {
    {"version https://git-lfs.github.com/spec/"sv, "a Git LFS pointer: the real file was not fetched"sv},
    {"!<arch>\n"sv, "a static archive"sv},
    {"!<thin>\n"sv, "a thin static archive"sv},
    {"\xfe\xed\xfa\xce"sv, "a Mach-O file (macOS)"sv},
    {"\xfe\xed\xfa\xcf"sv, "a Mach-O file (macOS)"sv},
    {"\xce\xfa\xed\xfe"sv, "a Mach-O file (macOS)"sv},
    {"\xcf\xfa\xed\xfe"sv, "a Mach-O file (macOS)"sv},
    {"\xca\xfe\xba\xbe"sv, "a universal Mach-O file (macOS)"sv},
    {"PK\x03\x04"sv, "a zip archive or wheel"sv},
    {"\x1f\x8b"sv, "a gzip file"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz file"sv},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file"sv},
    {"BC\xc0\xde"sv, "LLVM bitcode"sv},
    {"#!"sv, "a script"sv},
};

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

// Past white space and comments of C.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\f\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (!text.starts_with("/*")) return text;
    const std::size_t end = text.find("*/", 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 2);
  }
}

// The first line that says something, at most 60 bytes of it.
std::string_view first_words(std::string_view text) {
  text = skip_comments(text);
  return text.substr(0, std::min<std::size_t>(60, text.find_first_of("\r\n")));
}

// ld's documentation, "File Commands": what a file in place of a library holds, as glibc's own libc.so does.
bool is_linker_script(std::string_view text) {
  constexpr std::string_view kCommands[] = {"INPUT", "GROUP", "OUTPUT_FORMAT", "AS_NEEDED"};
  const std::string_view words = first_words(text);
  return std::any_of(std::begin(kCommands), std::end(kCommands), [&](std::string_view command) {
    if (!words.starts_with(command)) return false;
    const std::size_t next = words.find_first_not_of(" \t", command.size());
    return next != std::string_view::npos && words[next] == '(';
  });
}

}  // namespace

std::string describe_first_bytes(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (const Kind& kind : kKinds) {
    if (text.starts_with(kind.magic)) return std::string(kind.name);
  }
  if (text.find_first_not_of('\0') == std::string_view::npos) return "zero bytes only (an unfinished copy?)";
  if (is_text(text)) {
    return fmt::format("{}: {}", is_linker_script(text) ? "a linker script" : "text", printable(first_words(text)));
  }
  if (text.starts_with("MZ")) return "a PE file (Windows)";
  const auto first = text.substr(0, 4);
  std::string bytes;
  for (const char c : first) bytes += fmt::format(" {:02x}", static_cast<std::uint8_t>(c));
  return "data that starts with" + bytes;
}

}  // namespace myops::elf
