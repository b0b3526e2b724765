// Text from outside (file names, symbols, manifests, linker messages) made fit for a terminal or for JSON.
//
// A file may be named anything: an escape sequence in a report must not reach the terminal, and bytes that are no UTF-8
// must not make a JSON writer throw.
#pragma once

#include <string>
#include <string_view>

namespace myops {

// Control characters (C0, DEL, C1, line breaks, those of writing direction) and bytes that are no UTF-8 become "\xNN";
// the rest stays.
std::string printable(std::string_view text);

// Bytes that are no UTF-8 become U+FFFD, one for each; the rest, control characters too, stays.
std::string valid_utf8(std::string text);

}  // namespace myops
