// Which GPUs the code in a CUDA library runs on. Pure arithmetic over architecture names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "loader/rules/manifest.h"

namespace myops::rules {

struct Capability {
  unsigned major = 0;
  unsigned minor = 0;
};

// "9.0" → {9, 0}; none for anything else.
std::optional<Capability> parse_capability(std::string_view text);
std::string capability_text(const Capability& capability);  // "9.0"

// Machine code runs on its own major capability from its minor one on; PTX on every capability from its own on. Code
// for "90a" runs on 9.0 only, code for "100f" on its own major capability only (architecture- and family-specific
// features).
bool runs_on(const Manifest::DeviceCode& code, const Capability& gpu);

// "sm_75, sm_80, PTX 120": what the library holds.
std::string code_list(const Manifest::DeviceCode& code);

}  // namespace myops::rules
