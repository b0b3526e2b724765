// The libraries that are in this process now, as the dynamic linker lists them. Opens nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loader/system/memory_image.h"

namespace myops::system {

// Paths in load order, the program itself first; the kernel's vdso is left out.
std::vector<std::string> mapped_libraries();

// What the memory of a library says of it, whatever has become of its file.
struct MappedLibrary {
  std::string path;       // as in mapped_libraries()
  std::string soname;     // DT_SONAME, "" where it has none
  std::string build_id;   // hex, "" where it has none
  bool replaced = false;  // another file lies at its path by now, or none
  // Of what lies at its path now; 0 where nothing does.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};
// One for each of mapped_libraries(), in that order.
std::vector<MappedLibrary> read_mapped_libraries();
// The same without a look at the files: `replaced`, `device` and `inode` stay as they are above.
std::vector<MappedLibrary> read_mapped_memory();

// Lets `ask` look at the memory of the library at this path, one of mapped_libraries(). False where there is none.
bool ask_memory(const std::string& path, const std::function<void(const MemoryImage&)>& ask);

// The first of `libraries` whose file name is `name`.
std::optional<std::string> find_by_name(const std::vector<std::string>& libraries, const std::string& name);

// Calls the mapped libtorch_cpu's aoti_torch_abi_version(): "2.15.0" (a development build says no more). "" where this
// library has no such function, or is not mapped.
std::string mapped_torch_version(const std::string& libtorch_cpu);

// True where a library of the global scope defines the symbol; in this version, where one is given.
bool is_in_global_scope(const std::string& symbol, const std::string& version = "");

// "2.15.0" for 0x020f000000000000 (torch/headeronly/version.h, TORCH_ABI_VERSION). Pure.
std::string version_from_abi(std::uint64_t abi_version);

}  // namespace myops::system
