// The CPU: which features may be used, and which psABI level they make.
//
// The arithmetic is pure and works on the values that CPUID and XGETBV gave; read_cpu() asks this machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace myops::system {

// What CPUID (leaf, subleaf 0) and XGETBV returned; zero where the machine has no such leaf.
struct CpuRegisters {
  struct Leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  };
  Leaf basic;                 // leaf 1
  Leaf structured;            // leaf 7
  Leaf extended;              // leaf 0x80000001
  std::uint64_t xcr0 = 0;     // register states that the operating system saves; 0 without OSXSAVE
  std::array<Leaf, 3> brand;  // leaves 0x80000002 to 0x80000004: the name
};

struct CpuFacts {
  std::string name;
  std::string level;  // "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"; "" where this is no x86-64
  std::vector<std::string>
      features;  // in the names of /proc/cpuinfo ("sse4_2", "avx512f"); only what the OS enables too
};

// x86-64 psABI, "Micro-Architecture Levels": a level is reached where all its features and those of the levels below
// are usable.
CpuFacts cpu_facts(const CpuRegisters& registers);

// This machine's. Executes CPUID and, with OSXSAVE, XGETBV.
CpuFacts read_cpu();

}  // namespace myops::system
