// The door for libFuzzer: one program for each target.
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const myops::fuzz::Target& target = myops::fuzz::target_named(MYOPS_FUZZ_TARGET);
  myops::fuzz::run(target, {reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
