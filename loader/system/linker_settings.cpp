#include "loader/system/linker_settings.h"

#include <sys/auxv.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "loader/system/file_bytes.h"
#include "loader/system/ld_cache.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

// ld.so(8), "the default paths", with Debian's multiarch and the lib64 of others; what does not exist is left out.
std::vector<std::string> default_folders_of(const std::string& arch) {
  std::vector<std::string> folders;
  for (const std::string& folder :
       {"/lib/" + arch + "-linux-gnu", "/usr/lib/" + arch + "-linux-gnu", std::string("/lib64"),
        std::string("/usr/lib64"), std::string("/lib"), std::string("/usr/lib")}) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) folders.push_back(folder);
  }
  return folders;
}

// glibc 2.33 and later look into these first, the widest level first.
std::vector<std::string> hwcaps_folders(const std::string& cpu_level) {
  std::vector<std::string> folders;
  for (const char* level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"}) {
    if (level <= cpu_level) folders.push_back(std::string("glibc-hwcaps/") + level);
  }
  return folders;
}

}  // namespace

link::Environment linker_settings(const rules::HostFacts& host) {
  link::Environment environment;
  const std::string library_path = variable("LD_LIBRARY_PATH").value_or("");
  for (const std::string& part : split(library_path, library_path.find(';') == std::string::npos ? ':' : ';')) {
    if (!part.empty()) environment.library_path.push_back(part);
  }
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  environment.cache = parse_ld_cache(read_text("/etc/ld.so.cache", kLimit), cache_filter(host.arch, host.cpu_level));
  environment.default_folders = default_folders_of(host.arch);
  environment.hwcaps = hwcaps_folders(host.cpu_level);
  if (const auto* platform = reinterpret_cast<const char*>(::getauxval(AT_PLATFORM))) environment.platform = platform;
  return environment;
}

std::vector<std::string> preloaded_libraries(const link::Environment& settings) {
  std::string list = variable("LD_PRELOAD").value_or("");
  std::replace(list.begin(), list.end(), ':', ' ');
  std::vector<std::string> paths;
  for (const std::string& name : split_names(list, ' ')) {
    const auto entry = std::find_if(settings.cache.begin(), settings.cache.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (name.find('/') != std::string::npos) {
      paths.push_back(name);
    } else if (entry != settings.cache.end()) {
      paths.push_back(entry->second);
    }
  }
  return paths;
}

}  // namespace myops::system
