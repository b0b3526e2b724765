// The records of symbol versions (LSB, "Symbol Versioning"), which are alike in both classes, in the byte order of the
// file.
#pragma once

#include <elf.h>

#include <cstddef>

#include "loader/elf/decoder.h"

namespace myops::elf {

// Decodes the fields that the reader uses. `at` holds a whole record.
template <class Record>
Record decode_version_record(const Decoder& decode, const std::byte* at);

template <>
Elf64_Verneed decode_version_record(const Decoder& decode, const std::byte* at);
template <>
Elf64_Vernaux decode_version_record(const Decoder& decode, const std::byte* at);
template <>
Elf64_Verdef decode_version_record(const Decoder& decode, const std::byte* at);
template <>
Elf64_Verdaux decode_version_record(const Decoder& decode, const std::byte* at);

}  // namespace myops::elf
