// Reads the dynamic linker's cache of libraries (/etc/ld.so.cache). Pure: bytes in, pairs out; every offset is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace myops::system {

// Which of the cache's entries this machine's linker would use.
struct CacheFilter {
  std::int32_t flags = 0;  // glibc's file type and required ABI, sysdeps/generic/ldconfig.h: 0x0303 for x86-64
  std::string cpu_level;   // entries in glibc-hwcaps/<level> above it are left out
};
CacheFilter cache_filter(std::string_view arch, std::string cpu_level);

// SONAME → path. Where one SONAME has several paths, the one that the linker prefers is first: the widest usable
// glibc-hwcaps level, then the plain one. Both file formats (glibc-ld.so.cache1.1, alone or behind ld.so-1.7.0); what
// is damaged gives what was read up to there.
std::vector<std::pair<std::string, std::string>> parse_ld_cache(std::string_view bytes, const CacheFilter& filter);

}  // namespace myops::system
