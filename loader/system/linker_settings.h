// How the dynamic linker is set up on this machine: its cache and default folders, and the LD_ variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loader/link/closure.h"
#include "loader/rules/world.h"

namespace myops::system {

// An environment with nothing loaded yet: LD_LIBRARY_PATH, /etc/ld.so.cache, default folders, hwcaps folders, platform.
// LD_LIBRARY_PATH is that which this process was started with: the linker reads it once, whatever is set later.
link::Environment linker_settings(const rules::HostFacts& host);

// The elements of a value of LD_LIBRARY_PATH (elf/dl-load.c, _dl_init_paths): ':' and ';' alike end one, and an empty
// one means the working directory. An empty value has none. Pure.
std::vector<std::string> library_path_elements(std::string_view value);

// The subfolders that the host's glibc looks into first in every folder, in order: glibc-hwcaps/<level> from 2.33 on,
// and up to 2.36 also tls, platform and x86_64 in all combinations (elf/dl-hwcaps.c, _dl_important_hwcaps). Pure.
std::vector<std::string> hwcaps_subfolders(const rules::HostFacts& host);

// The files of LD_PRELOAD. A name without a slash is looked up in the cache, where those that people preload stand.
std::vector<std::string> preloaded_libraries(const link::Environment& settings);

}  // namespace myops::system
