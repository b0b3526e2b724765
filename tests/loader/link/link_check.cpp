// link_check predict|open [--global FILE | --local FILE]… TARGET
//
// Opens the files before TARGET for real, so that they are in the process. `predict` then prints, as JSON, what resolve() finds
// missing for TARGET in this very process; `open` opens it, and prints the dynamic linker's message, or null.
// tests/python/test_link_oracle.py compares the two.
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/link/closure.h"
#include "tests/loader/elf/stream_bytes.h"

namespace {

using nlohmann::ordered_json;
using namespace myops;
namespace fs = std::filesystem;

link::ReadOutcome read_file(const std::string& path) {
  static std::map<std::pair<dev_t, ino_t>, link::SharedFacts> cache;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return link::SharedFacts();
  link::SharedFacts& known = cache[{status.st_dev, status.st_ino}];
  if (known) return known;
  auto facts = elf::parse_elf(elf::StreamBytes(path), elf::Depth::kSymbols);
  if (!facts) return facts.error();
  return known = std::make_shared<const elf::ElfFacts>(std::move(*facts));
}

// What is mapped, in the order of the link map; the executable first.
std::vector<std::string> mapped_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& names = *static_cast<std::vector<std::string>*>(data);
        const std::string_view name = info->dlpi_name;
        if (names.empty()) {
          names.push_back(fs::read_symlink("/proc/self/exe").string());
        } else if (name.find('/') != std::string_view::npos) {
          names.emplace_back(name);
        }
        return 0;
      },
      &files);
  return files;
}

link::Object object_at(const std::string& path) {
  const link::SharedFacts facts = read_file(path);
  const bool named = facts && !facts->soname.empty();
  return {path, named ? facts->soname : path.substr(path.rfind('/') + 1), facts};
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

// Puts what is mapped and not yet there into the environment.
void take_mapped(link::Environment& environment, bool global) {
  for (const std::string& path : mapped_files()) {
    const bool known = std::any_of(environment.loaded.begin(), environment.loaded.end(),
                                   [&](const link::Object& object) { return object.path == path; });
    if (known) continue;
    if (global) environment.global.push_back(environment.loaded.size());
    environment.loaded.push_back(object_at(path));
  }
}

ordered_json missing_json(const link::Missing& missing) {
  constexpr const char* kKinds[] = {"library", "symbol", "version"};
  return {{"kind", kKinds[static_cast<int>(missing.kind)]}, {"name", missing.name},
          {"demangled", missing.demangled},                 {"needed_by", missing.needed_by},
          {"expected_in", missing.expected_in},             {"searched", missing.searched},
          {"found", missing.found}};
}

ordered_json predict(const std::string& target, const link::Environment& environment) {
  ordered_json result = ordered_json::array();
  const link::Object file = object_at(target);
  const link::Closure closure = link::gather_closure(file, environment, read_file);
  for (const link::Missing& missing : link::resolve(closure)) result.push_back(missing_json(missing));
  return result;
}

ordered_json open(const std::string& target) {
  if (dlopen(target.c_str(), RTLD_NOW | RTLD_LOCAL)) return nullptr;
  return dlerror();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  link::Environment environment;
  environment.library_path = split(std::getenv("LD_LIBRARY_PATH"));
  environment.default_folders = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"};
  take_mapped(environment, true);
  for (int i = 2; i + 2 < argc; i += 2) {
    const bool global = std::string_view(argv[i]) == "--global";
    if (!dlopen(argv[i + 1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) {
      std::cerr << dlerror() << "\n";
      return 3;
    }
    take_mapped(environment, global);
  }
  const std::string target = argv[argc - 1];
  const ordered_json result = std::string_view(argv[1]) == "predict" ? predict(target, environment) : open(target);
  std::cout << result.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
  return 0;
}
