#include "loader/elf/version_records.h"

namespace myops::elf {

template <>
Elf64_Verneed decode_version_record(const Decoder& decode, const std::byte* at) {
  const auto get = [&](auto member) { return decode.field(at, member); };
  Elf64_Verneed need{};
  need.vn_version = static_cast<Elf64_Half>(get(&Elf64_Verneed::vn_version));
  need.vn_file = static_cast<Elf64_Word>(get(&Elf64_Verneed::vn_file));
  need.vn_aux = static_cast<Elf64_Word>(get(&Elf64_Verneed::vn_aux));
  need.vn_next = static_cast<Elf64_Word>(get(&Elf64_Verneed::vn_next));
  return need;
}

template <>
Elf64_Vernaux decode_version_record(const Decoder& decode, const std::byte* at) {
  const auto get = [&](auto member) { return decode.field(at, member); };
  Elf64_Vernaux version{};
  version.vna_flags = static_cast<Elf64_Half>(get(&Elf64_Vernaux::vna_flags));
  version.vna_other = static_cast<Elf64_Half>(get(&Elf64_Vernaux::vna_other));
  version.vna_name = static_cast<Elf64_Word>(get(&Elf64_Vernaux::vna_name));
  version.vna_next = static_cast<Elf64_Word>(get(&Elf64_Vernaux::vna_next));
  return version;
}

template <>
Elf64_Verdef decode_version_record(const Decoder& decode, const std::byte* at) {
  const auto get = [&](auto member) { return decode.field(at, member); };
  Elf64_Verdef definition{};
  definition.vd_version = static_cast<Elf64_Half>(get(&Elf64_Verdef::vd_version));
  definition.vd_flags = static_cast<Elf64_Half>(get(&Elf64_Verdef::vd_flags));
  definition.vd_ndx = static_cast<Elf64_Half>(get(&Elf64_Verdef::vd_ndx));
  definition.vd_aux = static_cast<Elf64_Word>(get(&Elf64_Verdef::vd_aux));
  definition.vd_next = static_cast<Elf64_Word>(get(&Elf64_Verdef::vd_next));
  return definition;
}

template <>
Elf64_Verdaux decode_version_record(const Decoder& decode, const std::byte* at) {
  Elf64_Verdaux name{};
  name.vda_name = static_cast<Elf64_Word>(decode.field(at, &Elf64_Verdaux::vda_name));
  return name;
}

}  // namespace myops::elf
