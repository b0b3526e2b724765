#include "tests/loader/link/process.h"

#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "tests/loader/elf/stream_bytes.h"

namespace myops::link {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> mapped_files() {
  std::vector<std::string> files{fs::read_symlink("/proc/self/exe").string()};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        // The executable has no name here, and the kernel's page (linux-vdso) no file.
        const std::string_view name = info->dlpi_name;
        if (name.find('/') != std::string_view::npos) static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
      },
      &files);
  return files;
}

std::vector<std::string> split(const char* list) {
  std::vector<std::string> parts;
  if (!list || !*list) return parts;
  std::string_view rest = list;
  for (;;) {
    const std::size_t end = rest.find(':');
    parts.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return parts;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

ReadOutcome read_real_file(const std::string& path) {
  using Identity = std::tuple<dev_t, ino_t, off_t, time_t, long>;
  static std::map<Identity, SharedFacts> known;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return SharedFacts();
  SharedFacts& facts =
      known[{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec}];
  if (facts) return facts;
  auto parsed = elf::parse_elf(elf::StreamBytes(path), elf::Depth::kSymbols);
  if (!parsed) return parsed.error();
  return facts = std::make_shared<const elf::ElfFacts>(std::move(*parsed));
}

Object real_object(const std::string& path) {
  const SharedFacts facts = read_real_file(path);
  const bool named = facts && !facts->soname.empty();
  return {path, named ? facts->soname : path.substr(path.rfind('/') + 1), facts};
}

void take_mapped(Environment& environment, bool global) {
  if (environment.loaded.empty()) {
    environment.library_path = split(std::getenv("LD_LIBRARY_PATH"));
    environment.default_folders = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"};
  }
  for (const std::string& path : mapped_files()) {
    const bool there = std::any_of(environment.loaded.begin(), environment.loaded.end(),
                                   [&](const Object& object) { return object.path == path; });
    if (there) continue;
    if (global) environment.global.push_back(environment.loaded.size());
    environment.loaded.add(real_object(path));
  }
}

}  // namespace myops::link
