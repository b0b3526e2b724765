// Fields of ELF structures, whichever class (32 or 64 bits) and byte order the file has. Pure; checks no bounds: its
// callers hand it whole structures.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace myops::elf {

class Decoder {
 public:
  Decoder(int bits, bool little_endian)
      : wide_(bits == 64), swap_(little_endian != (std::endian::native == std::endian::little)) {}

  // Size of a structure in this file: `size<Elf64_Sym, Elf32_Sym>()`.
  template <class Wide, class Narrow>
  std::size_t size() const {
    return wide_ ? sizeof(Wide) : sizeof(Narrow);
  }

  // A field of the structure at `at`: `field(at, &Elf64_Sym::st_value, &Elf32_Sym::st_value)`.
  template <class Wide, class WideField, class Narrow, class NarrowField>
  std::uint64_t field(const std::byte* at, WideField Wide::* wide, NarrowField Narrow::* narrow) const {
    return wide_ ? field(at, wide) : field(at, narrow);
  }

  // A field of a structure that is the same in both classes.
  template <class Structure, class Field>
  std::uint64_t field(const std::byte* at, Field Structure::* member) const {
    return static_cast<std::make_unsigned_t<Field>>(ordered(load<Structure>(at).*member));
  }

  template <class Integer>
  Integer integer(const std::byte* at) const {
    return ordered(load<Integer>(at));
  }

  bool wide() const { return wide_; }

 private:
  template <class T>
  static T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  template <class Integer>
  Integer ordered(Integer value) const {
    if (!swap_) return value;
    if constexpr (sizeof(Integer) == 2)
      return static_cast<Integer>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    if constexpr (sizeof(Integer) == 4)
      return static_cast<Integer>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    if constexpr (sizeof(Integer) == 8)
      return static_cast<Integer>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
    return value;
  }

  bool wide_;
  bool swap_;
};

}  // namespace myops::elf
