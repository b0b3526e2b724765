#include "loader/system/mapped.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace myops::system {
namespace {

int add_path(struct dl_phdr_info* info, std::size_t, void* data) {
  auto& paths = *static_cast<std::vector<std::string>*>(data);
  const std::string name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (paths.empty()) {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    paths.push_back(error ? name : program.string());
  } else if (name.find('/') != std::string::npos) {
    paths.push_back(name);
  }
  return 0;
}

}  // namespace

std::vector<std::string> mapped_libraries() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(&add_path, &paths);
  return paths;
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

bool is_in_global_scope(const std::string& symbol) { return ::dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr; }

std::string version_from_abi(std::uint64_t abi_version) {
  const auto byte = [&](int shift) { return std::to_string(abi_version >> shift & 0xff); };
  return byte(56) + "." + byte(48) + "." + byte(40);
}

}  // namespace myops::system
