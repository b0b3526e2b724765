// This machine, as the rules see it: CPU, GPUs, driver, C library.
#pragma once

#include "loader/rules/world.h"

namespace myops::system {

// Asks anew each time: CUDA_VISIBLE_DEVICES may have changed. Starts no CUDA, opens no library.
rules::HostFacts read_host();

}  // namespace myops::system
