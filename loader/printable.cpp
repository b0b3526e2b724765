#include "loader/printable.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace myops {
namespace {

bool in(char byte, unsigned low, unsigned high) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= low && value <= high;
}

// Length of the well-formed sequence that `text` starts with, 0 where there is none (Unicode standard, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const char first = text[0];
  if (in(first, 0x00, 0x7F)) return 1;
  const auto follows = [&](std::size_t count, unsigned low, unsigned high) {
    if (text.size() <= count || !in(text[1], low, high)) return false;
    for (std::size_t i = 2; i <= count; ++i) {
      if (!in(text[i], 0x80, 0xBF)) return false;
    }
    return true;
  };
  if (in(first, 0xC2, 0xDF)) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (in(first, 0xE0, 0xE0)) return follows(2, 0xA0, 0xBF) ? 3 : 0;
  if (in(first, 0xED, 0xED)) return follows(2, 0x80, 0x9F) ? 3 : 0;
  if (in(first, 0xE1, 0xEF)) return follows(2, 0x80, 0xBF) ? 3 : 0;
  if (in(first, 0xF0, 0xF0)) return follows(3, 0x90, 0xBF) ? 4 : 0;
  if (in(first, 0xF1, 0xF3)) return follows(3, 0x80, 0xBF) ? 4 : 0;
  if (in(first, 0xF4, 0xF4)) return follows(3, 0x80, 0x8F) ? 4 : 0;
  return 0;
}

// How much of the start is well-formed.
std::size_t well_formed_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    // Most texts are ASCII: eight bytes at once.
    std::uint64_t word = 0;
    if (text.size() - length >= sizeof word) {
      std::memcpy(&word, text.data() + length, sizeof word);
      if ((word & 0x8080808080808080) == 0) {
        length += sizeof word;
        continue;
      }
    }
    const std::size_t step = sequence_length(text.substr(length));
    if (step == 0) break;
    length += step;
  }
  return length;
}

// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: writing direction, and line breaks. With them a terminal
// shows letters in another order than they stand.
bool is_formatting(std::string_view sequence) {
  if (sequence == "\xD8\x9C") return true;
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  if (sequence[1] == '\x80') return in(sequence[2], 0x8E, 0x8F) || in(sequence[2], 0xA8, 0xAE);
  return sequence[1] == '\x81' && in(sequence[2], 0xA6, 0xA9);
}

bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return in(sequence[0], 0x00, 0x1F) || sequence[0] == 0x7F;
  const bool is_c1 = sequence.size() == 2 && in(sequence[0], 0xC2, 0xC2) && in(sequence[1], 0x80, 0x9F);
  return is_c1 || is_formatting(sequence);
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out += "\\x";
    out += kDigits[value / 16];
    out += kDigits[value % 16];
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view bytes = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(bytes)) {
      append_escaped(out, bytes);
    } else {
      out += bytes;
    }
    text.remove_prefix(bytes.size());
  }
  return out;
}

std::string valid_utf8(std::string text) {
  if (well_formed_length(text) == text.size()) return text;
  std::string out;
  out.reserve(text.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t length = well_formed_length(rest);
    out += rest.substr(0, length);
    if (length == rest.size()) break;
    out += "\xEF\xBF\xBD";
    rest.remove_prefix(length + 1);
  }
  return out;
}

}  // namespace myops
