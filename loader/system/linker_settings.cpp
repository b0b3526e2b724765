#include "loader/system/linker_settings.h"

#include <sys/auxv.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "loader/rules/version.h"
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

// The variable as it was when this process was started: what the linker has seen. A program that writes its title over
// its environment (setproctitle) has left nothing of it; then what is set now has to do.
std::string initial_variable(VariableName variable_name) {
  if (::getauxval(AT_SECURE) != 0) return "";
  constexpr std::size_t kLimit = std::size_t{16} << 20;
  const std::vector<std::string> entries = split(read_text("/proc/self/environ", kLimit), '\0');
  if (entries.empty() || entries.front().find('=') == std::string::npos) return variable(variable_name).value_or("");
  const std::string name = variable_name.text();
  const auto found =
      std::ranges::find_if(entries, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  return found == entries.end() ? "" : found->substr(name.size() + 1);
}

// Whether the host's glibc is of this version or newer; as `otherwise` says where the host does not tell.
bool is_glibc_from(const rules::HostFacts& host, const char* version, bool otherwise) {
  constexpr std::string_view kName = "glibc ";
  if (!host.libc.starts_with(kName)) return otherwise;
  const auto present = rules::parse_version(std::string_view(host.libc).substr(kName.size()));
  return present ? !rules::is_older(*present, *rules::parse_version(version)) : otherwise;
}

// Every combination, the full one first, the parts in this order. The platform has a name of its own, and AVX-512 a
// part, on Intel's processors only (sysdeps/x86/cpu-features.c).
std::vector<std::string> legacy_subfolders(const rules::HostFacts& host) {
  const bool intel = host.cpu_name.starts_with("Intel") && host.cpu_level >= "x86-64-v3";
  std::vector<std::string> parts{"tls", intel ? "haswell" : "x86_64"};
  if (intel && host.cpu_level >= "x86-64-v4") parts.emplace_back("avx512_1");
  parts.emplace_back("x86_64");
  std::vector<std::string> folders;
  for (unsigned chosen = (1U << parts.size()) - 1; chosen > 0; --chosen) {
    std::string folder;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((chosen >> (parts.size() - 1 - i) & 1U) != 0) folder += (folder.empty() ? "" : "/") + parts[i];
    }
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
  }
  return folders;
}

// /etc/ld.so.cache, read when it is first asked; copies share what was read.
class CacheOnDemand {
 public:
  explicit CacheOnDemand(CacheFilter filter) : filter_(std::move(filter)) {}

  std::optional<std::string> operator()(std::string_view name) {
    constexpr std::size_t kLimit = std::size_t{64} << 20;
    if (!*entries_) *entries_ = parse_ld_cache(read_text("/etc/ld.so.cache", kLimit), filter_);
    const auto found = std::ranges::find_if(**entries_, [&](const auto& entry) { return entry.first == name; });
    return found == (*entries_)->end() ? std::nullopt : std::optional(found->second);
  }

 private:
  using Entries = std::vector<std::pair<std::string, std::string>>;
  CacheFilter filter_;
  std::shared_ptr<std::optional<Entries>> entries_ = std::make_shared<std::optional<Entries>>();
};

}  // namespace

std::vector<std::string> library_path_elements(std::string_view value) {
  std::string list(value);
  std::ranges::replace(list, ';', ':');
  return split(list, ':');
}

std::vector<std::string> hwcaps_subfolders(const rules::HostFacts& host) {
  std::vector<std::string> folders;
  for (const char* level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"}) {
    if (level <= host.cpu_level && is_glibc_from(host, "2.33", true)) {
      folders.push_back(std::string("glibc-hwcaps/") + level);
    }
  }
  if (host.arch != "x86_64" || is_glibc_from(host, "2.37", true)) return folders;
  for (std::string& folder : legacy_subfolders(host)) folders.push_back(std::move(folder));
  return folders;
}

link::Environment linker_settings(const rules::HostFacts& host) {
  link::Environment environment;
  environment.library_path = library_path_elements(initial_variable("LD_LIBRARY_PATH"));
  environment.cache = CacheOnDemand(cache_filter(host.arch, host.cpu_level));
  environment.default_folders = default_folders_of(host.arch);
  environment.hwcaps = hwcaps_subfolders(host);
  if (const auto* platform = reinterpret_cast<const char*>(::getauxval(AT_PLATFORM))) environment.platform = platform;
  return environment;
}

std::vector<std::string> preloaded_libraries(const link::Environment& settings) {
  std::string list = variable("LD_PRELOAD").value_or("");
  std::replace(list.begin(), list.end(), ':', ' ');
  std::vector<std::string> paths;
  for (const std::string& name : split_names(list, ' ')) {
    if (name.find('/') != std::string::npos) {
      paths.push_back(name);
    } else if (auto path = settings.cache(name)) {
      paths.push_back(std::move(*path));
    }
  }
  return paths;
}

}  // namespace myops::system
