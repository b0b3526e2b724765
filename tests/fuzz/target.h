// A fuzz target: takes any bytes, feeds them to readers of ours, and ends the process where one breaks its word.
//
// The same targets run under libFuzzer (`./dev fuzz`, libfuzzer.cpp) and over the kept corpus in every test run
// (replay_test.cpp). What holds for all of them, whatever the bytes: no crash, no exception, and no more memory than
// kMemoryFactor times the input besides kMemoryBase.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace myops::fuzz {

using Input = std::span<const std::byte>;

struct Target {
  std::string_view name;  // that of its corpus folder
  void (*read)(Input input);
};

// Every target. To add one: a file NAME_target.cpp, a line in targets.cpp, one in CMakeLists.txt, a folder corpus/NAME.
std::span<const Target> targets();
// The one of that name; ends the process where there is none.
const Target& target_named(std::string_view name);

// The most an input may make the readers hold at a time.
inline constexpr std::size_t kMemoryBase = std::size_t{1} << 20;
inline constexpr std::size_t kMemoryFactor = 64;

// Lets the target read the input, and holds it to the limit on memory.
void run(const Target& target, Input input);

// Ends the process with the sentence where it does not hold.
void require(bool holds, std::string_view sentence);

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

void read_elf(Input input);
void read_link(Input input);
void read_linker_cache(Input input);
void read_manifest(Input input);
void read_options(Input input);
void read_plan(Input input);
void read_text(Input input);

}  // namespace myops::fuzz
