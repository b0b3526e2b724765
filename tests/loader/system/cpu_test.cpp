#include "loader/system/cpu.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bit>

#include "loader/system/file_bytes.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr std::uint32_t bit(int number) { return std::uint32_t{1} << number; }

// Registers of a CPU that has all a level asks for; Intel SDM vol. 2, CPUID.
CpuRegisters level_2() {
  CpuRegisters registers;
  registers.basic.ecx = bit(0) | bit(9) | bit(13) | bit(19) | bit(20) | bit(23);
  registers.extended.ecx = bit(0);
  return registers;
}

CpuRegisters level_3() {
  CpuRegisters registers = level_2();
  registers.basic.ecx |= bit(12) | bit(22) | bit(27) | bit(28) | bit(29);
  registers.structured.ebx = bit(3) | bit(5) | bit(8);
  registers.extended.ecx |= bit(5);
  registers.xcr0 = 0x7;
  return registers;
}

CpuRegisters level_4() {
  CpuRegisters registers = level_3();
  registers.structured.ebx |= bit(16) | bit(17) | bit(28) | bit(30) | bit(31);
  registers.xcr0 = 0xe7;
  return registers;
}

TEST(CpuFacts, LevelsArePsabis) {
  EXPECT_EQ(cpu_facts(CpuRegisters{}).level, "x86-64");
  EXPECT_EQ(cpu_facts(level_2()).level, "x86-64-v2");
  EXPECT_EQ(cpu_facts(level_3()).level, "x86-64-v3");
  EXPECT_EQ(cpu_facts(level_4()).level, "x86-64-v4");
}

// Takes one bit after the other away: each feature of a level is needed for it, and for those above.
void expect_every_bit_counts(const CpuRegisters& full, std::uint32_t CpuRegisters::Leaf::* word,
                             CpuRegisters::Leaf CpuRegisters::* leaf, std::uint32_t bits, const std::string& level) {
  for (int number = 0; number < 32; ++number) {
    if ((bits & bit(number)) == 0) continue;
    CpuRegisters lacking = full;
    lacking.*leaf.*word &= ~bit(number);
    EXPECT_LT(cpu_facts(lacking).level, level) << "without bit " << number;
  }
}

TEST(CpuFacts, EveryFeatureOfALevelIsNeeded) {
  using Leaf = CpuRegisters::Leaf;
  expect_every_bit_counts(level_4(), &Leaf::ecx, &CpuRegisters::basic, level_2().basic.ecx, "x86-64-v2");
  expect_every_bit_counts(level_4(), &Leaf::ecx, &CpuRegisters::extended, level_2().extended.ecx, "x86-64-v2");
  expect_every_bit_counts(level_4(), &Leaf::ecx, &CpuRegisters::basic, level_3().basic.ecx, "x86-64-v3");
  expect_every_bit_counts(level_4(), &Leaf::ebx, &CpuRegisters::structured, level_3().structured.ebx, "x86-64-v3");
  expect_every_bit_counts(level_4(), &Leaf::ebx, &CpuRegisters::structured, level_4().structured.ebx, "x86-64-v4");
}

TEST(CpuFacts, RegistersThatTheSystemDoesNotSaveCannotBeUsed) {
  CpuRegisters registers = level_4();
  registers.xcr0 = 0x7;  // no ZMM state
  EXPECT_EQ(cpu_facts(registers).level, "x86-64-v3");
  EXPECT_THAT(cpu_facts(registers).features, Not(Contains("avx512f")));
  registers.xcr0 = 0x3;  // no YMM state
  EXPECT_EQ(cpu_facts(registers).level, "x86-64-v2");
  EXPECT_THAT(cpu_facts(registers).features, Not(Contains("avx2")));
  EXPECT_THAT(cpu_facts(registers).features, Contains("bmi2"));
}

TEST(CpuFacts, WideWithoutNarrowIsNoLevel) {
  CpuRegisters registers = level_4();
  registers.basic.ecx &= ~bit(0);  // no SSE3
  EXPECT_EQ(cpu_facts(registers).level, "x86-64");
}

TEST(CpuFacts, NameIsTrimmed) {
  CpuRegisters registers;
  registers.brand[0] = std::bit_cast<CpuRegisters::Leaf>(std::to_array("   A CPU 3 GHz "));
  EXPECT_EQ(cpu_facts(registers).name, "A CPU 3 GHz");
  EXPECT_EQ(cpu_facts(CpuRegisters{}).name, "");
}

// The kernel's own list is the oracle for this machine.
TEST(ReadCpu, AgreesWithTheKernel) {
  const std::string cpuinfo = read_text("/proc/cpuinfo");
  const std::size_t start = cpuinfo.find("\nflags");
  if (start == std::string::npos) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const std::string flags = cpuinfo.substr(start, cpuinfo.find('\n', start + 1) - start) + " ";
  const CpuFacts facts = read_cpu();
  const auto has = [&](const std::string& name) {
    return std::count(facts.features.begin(), facts.features.end(), name) > 0;
  };
  for (const char* name :
       {"cx16", "lahf_lm", "popcnt", "ssse3", "sse4_1", "sse4_2", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe",
        "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"}) {
    EXPECT_EQ(has(name), flags.find(" " + std::string(name) + " ") != std::string::npos) << name;
  }
  EXPECT_EQ(has("sse3"), flags.find(" pni ") != std::string::npos);
  EXPECT_EQ(has("lzcnt"), flags.find(" abm ") != std::string::npos);
  EXPECT_FALSE(facts.level.empty());
}

}  // namespace
}  // namespace myops::system
