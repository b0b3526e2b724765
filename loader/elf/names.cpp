// Words for numbers of the ELF header and of GNU properties.
#include <elf.h>

#include <iterator>
#include <string>

#include "loader/elf/elf_facts.h"
#include "loader/elf/faults.h"

namespace myops::elf {
namespace {

struct Machine {
  std::uint16_t number;
  std::string_view name;  // as `uname -m` has it
  int bits;               // 0: both are ordinary
  bool little_endian;
};

constexpr Machine kMachines[] = {
    {EM_X86_64, "x86_64", 64, true}, {EM_AARCH64, "aarch64", 64, true},  {EM_386, "i386", 32, true},
    {EM_ARM, "arm", 32, true},       {EM_PPC64, "ppc64le", 64, true},    {EM_PPC64, "ppc64", 64, false},
    {EM_S390, "s390x", 64, false},   {EM_RISCV, "riscv64", 64, true},    {EM_RISCV, "riscv32", 32, true},
    {258, "loongarch64", 64, true},  // EM_LOONGARCH of newer systems
    {EM_MIPS, "mips", 0, false},     {EM_SPARCV9, "sparc64", 64, false}, {EM_CUDA, "CUDA device code", 0, true},
};

std::string qualified(std::string name, bool bits_differ, int bits, bool order_differs, bool little_endian) {
  if (bits_differ) name += ", " + std::to_string(bits) + "-bit";
  if (order_differs) name += little_endian ? ", little-endian" : ", big-endian";
  return name;
}

}  // namespace

std::string machine_name(std::uint16_t machine, int bits, bool little_endian) {
  const Machine* nearest = nullptr;
  for (const Machine& candidate : kMachines) {
    if (candidate.number != machine) continue;
    if ((candidate.bits == 0 || candidate.bits == bits) && candidate.little_endian == little_endian) {
      return std::string(candidate.name);
    }
    if (!nearest) nearest = &candidate;
  }
  if (!nearest) return qualified("machine " + hex(machine), false, bits, !little_endian, little_endian);
  return qualified(std::string(nearest->name), nearest->bits != 0 && nearest->bits != bits, bits,
                   nearest->little_endian != little_endian, little_endian);
}

std::string_view isa_level_name(std::uint32_t isa_bits) {
  // GNU_PROPERTY_X86_ISA_1_BASELINE, _V2, _V3, _V4 are bits 0 to 3.
  constexpr std::string_view kLevels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (std::size_t i = std::size(kLevels); i-- > 0;) {
    if (isa_bits >> (i + 1) & 1U) return kLevels[i];
  }
  return "";
}

}  // namespace myops::elf
