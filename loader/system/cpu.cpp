#include "loader/system/cpu.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace myops::system {
namespace {

using Leaf = CpuRegisters::Leaf;

// XCR0 (Intel SDM vol. 1, 13.3): which register states the OS saves at a context switch. Without them the instructions
// fault.
constexpr std::uint64_t kNoState = 0;
constexpr std::uint64_t kAvxState = 0x6;      // SSE and AVX
constexpr std::uint64_t kAvx512State = 0xe6;  // and opmask, ZMM_Hi256, Hi16_ZMM

struct Feature {
  std::string_view name;
  int level;  // psABI level that asks for it, 0 for none
  Leaf CpuRegisters::* leaf;
  std::uint32_t Leaf::* word;
  int bit;
  std::uint64_t state;
};

constexpr auto kBasic = &CpuRegisters::basic;
constexpr auto kStructured = &CpuRegisters::structured;
constexpr auto kExtended = &CpuRegisters::extended;

constexpr Feature kFeatures[] = {
    {"cx16", 2, kBasic, &Leaf::ecx, 13, kNoState},
    {"lahf_lm", 2, kExtended, &Leaf::ecx, 0, kNoState},
    {"popcnt", 2, kBasic, &Leaf::ecx, 23, kNoState},
    {"sse3", 2, kBasic, &Leaf::ecx, 0, kNoState},
    {"ssse3", 2, kBasic, &Leaf::ecx, 9, kNoState},
    {"sse4_1", 2, kBasic, &Leaf::ecx, 19, kNoState},
    {"sse4_2", 2, kBasic, &Leaf::ecx, 20, kNoState},
    {"avx", 3, kBasic, &Leaf::ecx, 28, kAvxState},
    {"avx2", 3, kStructured, &Leaf::ebx, 5, kAvxState},
    {"bmi1", 3, kStructured, &Leaf::ebx, 3, kNoState},
    {"bmi2", 3, kStructured, &Leaf::ebx, 8, kNoState},
    {"f16c", 3, kBasic, &Leaf::ecx, 29, kAvxState},
    {"fma", 3, kBasic, &Leaf::ecx, 12, kAvxState},
    {"lzcnt", 3, kExtended, &Leaf::ecx, 5, kNoState},
    {"movbe", 3, kBasic, &Leaf::ecx, 22, kNoState},
    {"osxsave", 3, kBasic, &Leaf::ecx, 27, kNoState},
    {"avx512f", 4, kStructured, &Leaf::ebx, 16, kAvx512State},
    {"avx512bw", 4, kStructured, &Leaf::ebx, 30, kAvx512State},
    {"avx512cd", 4, kStructured, &Leaf::ebx, 28, kAvx512State},
    {"avx512dq", 4, kStructured, &Leaf::ebx, 17, kAvx512State},
    {"avx512vl", 4, kStructured, &Leaf::ebx, 31, kAvx512State},
    {"avx512vbmi", 0, kStructured, &Leaf::ecx, 1, kAvx512State},
    {"avx512_vnni", 0, kStructured, &Leaf::ecx, 11, kAvx512State},
};

constexpr std::string_view kLevelNames[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

bool is_usable(const Feature& feature, const CpuRegisters& registers) {
  const std::uint32_t word = registers.*feature.leaf.*feature.word;
  return (word >> feature.bit & 1) != 0 && (registers.xcr0 & feature.state) == feature.state;
}

std::string brand_name(const CpuRegisters& registers) {
  char text[sizeof registers.brand + 1] = {};
  std::memcpy(text, registers.brand.data(), sizeof registers.brand);
  const std::string_view name(text);
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(name.substr(first, name.find_last_not_of(' ') - first + 1));
}

#if defined(__x86_64__)
// A virtual machine leaves to its host at each of these instructions, so that the highest leaves are asked for once.
Leaf leaf(std::uint32_t number) {
  static const std::uint32_t highest_basic = __get_cpuid_max(0, nullptr);
  static const std::uint32_t highest_extended = __get_cpuid_max(0x80000000, nullptr);
  Leaf out;
  if (number > (number < 0x80000000 ? highest_basic : highest_extended)) return out;
  __cpuid_count(number, 0, out.eax, out.ebx, out.ecx, out.edx);
  return out;
}

std::uint64_t read_xcr0() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}
#endif

}  // namespace

CpuFacts cpu_facts(const CpuRegisters& registers) {
  CpuFacts facts;
  facts.name = brand_name(registers);
  int reached = 4;
  for (const Feature& feature : kFeatures) {
    if (is_usable(feature, registers)) {
      facts.features.emplace_back(feature.name);
    } else if (feature.level != 0) {
      reached = std::min(reached, feature.level - 1);
    }
  }
  std::sort(facts.features.begin(), facts.features.end());
  facts.level = kLevelNames[reached - 1];
  return facts;
}

CpuFacts read_cpu() {
#if defined(__x86_64__)
  CpuRegisters registers;
  registers.basic = leaf(1);
  registers.structured = leaf(7);
  registers.extended = leaf(0x80000001);
  for (std::uint32_t i = 0; i < registers.brand.size(); ++i) registers.brand[i] = leaf(0x80000002 + i);
  constexpr std::uint32_t kOsxsave = std::uint32_t{1} << 27;
  if ((registers.basic.ecx & kOsxsave) != 0) registers.xcr0 = read_xcr0();
  return cpu_facts(registers);
#else
  return {};
#endif
}

}  // namespace myops::system
