// Writes a file that someone named.
#pragma once

#include <string>
#include <string_view>

namespace myops::system {

// Replaces what is at `path`: a file as a whole, so that nobody reads half of it, anything else (a pipe, a device, a
// link) in place. Raises no SIGPIPE. 0, or the errno that stopped it.
int write_text(const std::string& path, std::string_view text);

}  // namespace myops::system
