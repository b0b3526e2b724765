#include "loader/system/mapped.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "loader/system/file_bytes.h"
#include "loader/system/memory_image.h"
#include "loader/system/memory_map.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

// Of torch with all of CUDA: thousands of lines.
constexpr std::size_t kLargestMemoryMap = std::size_t{64} << 20;

struct Entry {
  MappedLibrary library;
  std::uintptr_t start = 0;  // of its first segment, 0 where it has none
};

// "" for what is none: the kernel's vdso.
std::string path_of(const struct dl_phdr_info& info, bool is_program) {
  std::string name = info.dlpi_name == nullptr ? "" : info.dlpi_name;
  if (!is_program) return name.find('/') == std::string::npos ? "" : name;
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  return error ? name : program.string();
}

int add_path(struct dl_phdr_info* info, std::size_t, void* data) {
  auto& paths = *static_cast<std::vector<std::string>*>(data);
  std::string path = path_of(*info, paths.empty());
  if (paths.empty() || !path.empty()) paths.push_back(std::move(path));
  return 0;
}

// The linker lets nobody unmap a library while this runs: afterwards its memory may be gone.
int add_entry(struct dl_phdr_info* info, std::size_t, void* data) {
  auto& entries = *static_cast<std::vector<Entry>*>(data);
  std::string name = path_of(*info, entries.empty());
  if (!entries.empty() && name.empty()) return 0;
  const MemoryImage image(*info);
  entries.push_back({{std::move(name), image.soname(), image.build_id()}, image.start()});
  return 0;
}

// The first library at a path, for a question to its memory.
struct Inquiry {
  const std::string& path;
  const std::function<void(const MemoryImage&)>& ask;
  bool is_program = true;
};

int ask_one(struct dl_phdr_info* info, std::size_t, void* data) {
  auto& inquiry = *static_cast<Inquiry*>(data);
  if (path_of(*info, std::exchange(inquiry.is_program, false)) != inquiry.path) return 0;
  inquiry.ask(MemoryImage(*info));
  return 1;
}

std::vector<Entry> entries() {
  std::vector<Entry> entries;
  ::dl_iterate_phdr(&add_entry, &entries);
  return entries;
}

// The kernel keeps the name of a mapped file up to date. Device numbers tell nothing: overlayfs and btrfs have others
// in the memory map than stat(2) gives.
void look_at_file(std::uintptr_t start, const std::vector<Mapping>& mappings, MappedLibrary& library) {
  struct stat status{};
  if (::stat(library.path.c_str(), &status) != 0) {
    library.replaced = errno == ENOENT || errno == ENOTDIR;
    return;
  }
  library.device = status.st_dev;
  library.inode = status.st_ino;
  const Mapping* mapping = mapping_at(mappings, start);
  if (mapping == nullptr || status.st_ino == mapping->inode) return;
  std::error_code error;
  library.replaced = fs::canonical(library.path, error).string() != mapping->path && !error;
}

}  // namespace

std::vector<std::string> mapped_libraries() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(&add_path, &paths);
  return paths;
}

std::vector<MappedLibrary> read_mapped_libraries() {
  const std::string map = read_text("/proc/self/maps", kLargestMemoryMap);
  const auto mappings = parse_memory_map(map);
  std::vector<MappedLibrary> libraries;
  for (Entry& entry : entries()) {
    look_at_file(entry.start, mappings, libraries.emplace_back(std::move(entry.library)));
  }
  return libraries;
}

std::vector<MappedLibrary> read_mapped_memory() {
  std::vector<MappedLibrary> libraries;
  for (Entry& entry : entries()) libraries.push_back(std::move(entry.library));
  return libraries;
}

bool ask_memory(const std::string& path, const std::function<void(const MemoryImage&)>& ask) {
  Inquiry inquiry{path, ask};
  return ::dl_iterate_phdr(&ask_one, &inquiry) != 0;
}

std::optional<std::string> find_by_name(const std::vector<std::string>& libraries, const std::string& name) {
  for (const std::string& path : libraries) {
    if (path.substr(path.rfind('/') + 1) == name) return path;
  }
  return std::nullopt;
}

std::string mapped_torch_version(const std::string& libtorch_cpu) {
  void* handle = ::dlopen(libtorch_cpu.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  const auto abi_version = reinterpret_cast<std::uint64_t (*)()>(::dlsym(handle, "aoti_torch_abi_version"));
  const std::string version = abi_version == nullptr ? "" : version_from_abi(abi_version());
  ::dlclose(handle);  // only the reference that this function took
  return version;
}

bool is_in_global_scope(const std::string& symbol, const std::string& version) {
  // The program's own handle is that scope. RTLD_DEFAULT would add the caller's: what this loader defines and needs.
  static void* const scope = ::dlopen(nullptr, RTLD_LAZY);
  if (version.empty()) return ::dlsym(scope, symbol.c_str()) != nullptr;
  return ::dlvsym(scope, symbol.c_str(), version.c_str()) != nullptr;
}

std::string version_from_abi(std::uint64_t abi_version) {
  const auto byte = [&](int shift) { return std::to_string(abi_version >> shift & 0xff); };
  return byte(56) + "." + byte(48) + "." + byte(40);
}

}  // namespace myops::system
