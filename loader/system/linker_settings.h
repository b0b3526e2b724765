// How the dynamic linker is set up on this machine: its cache and default folders, and the LD_ variables.
#pragma once

#include <string>
#include <vector>

#include "loader/link/closure.h"
#include "loader/rules/world.h"

namespace myops::system {

// An environment with nothing loaded yet: LD_LIBRARY_PATH, /etc/ld.so.cache, default folders, hwcaps folders, platform.
link::Environment linker_settings(const rules::HostFacts& host);

// The files of LD_PRELOAD. A name without a slash is looked up in the cache, where those that people preload stand.
std::vector<std::string> preloaded_libraries(const link::Environment& settings);

}  // namespace myops::system
