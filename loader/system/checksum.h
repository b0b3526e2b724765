// SHA-256 (FIPS 180-4) of a file's content, by libcrypto: with the processor's own instructions where it has them.
#pragma once

#include <optional>
#include <string>

#include "loader/system/file_bytes.h"

namespace myops::system {

// Lower-case hex; none where the file could not be read to its end.
std::optional<std::string> sha256_of(const FileBytes& bytes);

}  // namespace myops::system
