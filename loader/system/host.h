// This machine, as the rules see it: CPU, GPUs, driver, C library.
#pragma once

#include <string_view>

#include "loader/rules/world.h"

namespace myops::system {

// Asks anew each time: CUDA_VISIBLE_DEVICES may have changed. Starts no CUDA, opens no library.
rules::HostFacts read_host();

// The architecture of this process, as in HostFacts::arch.
std::string_view running_arch();

}  // namespace myops::system
