#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/heap.h"
#include "tests/fuzz/target.h"

namespace myops::fuzz {
namespace {

constexpr Target kTargets[] = {
    {"elf", read_elf},            // a library's bytes, to every depth
    {"link", read_link},          // two libraries' bytes, one needed by the other
    {"manifest", read_manifest},  // the text in the note
    {"plan", read_plan},          // a set of manifests
    {"options", read_options},    // what callers hand over, --host files too
    {"linker_cache", read_linker_cache},
    {"text", read_text},  // lines of the kernel, versions, schemas, symbols
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target& target_named(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kTargets), std::end(kTargets), [&](const Target& target) { return target.name == name; });
  require(found != std::end(kTargets), "the target is in targets.cpp");
  return *found;
}

void run(const Target& target, Input input) {
  const HeapPeak peak;
  target.read(input);
  const std::size_t allowed = kMemoryBase + kMemoryFactor * input.size();
  if (peak.bytes() > allowed) {
    std::fprintf(stderr, "%zu bytes of input made it hold %zu bytes; %zu are allowed\n", input.size(), peak.bytes(),
                 allowed);
    std::abort();
  }
}

void require(bool holds, std::string_view sentence) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

}  // namespace myops::fuzz
