// This machine, as the rules see it: CPU, GPUs, driver, C library.
#pragma once

#include <optional>
#include <string_view>

#include "loader/rules/world.h"
#include "loader/system/gpu.h"

namespace myops::system {

// Asks anew each time: CUDA_VISIBLE_DEVICES may have changed. Starts no CUDA, opens no library. `driver`: what the
// driver says of the GPUs, where it was asked; without, their compute capability is not known.
rules::HostFacts read_host(const std::optional<DriverFacts>& driver = std::nullopt);

// The architecture of this process, as in HostFacts::arch.
std::string_view running_arch();

}  // namespace myops::system
