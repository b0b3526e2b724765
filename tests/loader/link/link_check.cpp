// link_check predict|open [--global FILE | --local FILE]… TARGET
//
// Opens the files before TARGET for real, so that they are in the process. `predict` then prints, as JSON, what
// resolve() finds missing for TARGET in this very process; `open` opens it, and prints the dynamic linker's message, or
// null. tests/python/test_link_oracle.py compares the two.
#include <dlfcn.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "loader/link/closure.h"
#include "tests/loader/link/process.h"

namespace {

using nlohmann::ordered_json;
using namespace myops;

ordered_json missing_json(const link::Missing& missing) {
  constexpr const char* kKinds[] = {"library", "symbol", "version", "unknown"};
  return {{"kind", kKinds[static_cast<int>(missing.kind)]},
          {"name", missing.name},
          {"demangled", missing.demangled},
          {"needed_by", missing.needed_by},
          {"expected_in", missing.expected_in},
          {"searched", missing.searched},
          {"found", missing.found}};
}

ordered_json predict(const std::string& target, const link::Environment& environment) {
  ordered_json result = ordered_json::array();
  const link::Closure closure = link::gather_closure(link::real_object(target), environment, link::read_real_file);
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
  link::take_mapped(environment, true);
  for (int i = 2; i + 2 < argc; i += 2) {
    const bool global = std::string_view(argv[i]) == "--global";
    if (!dlopen(argv[i + 1], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) {
      std::cerr << dlerror() << "\n";
      return 3;
    }
    link::take_mapped(environment, global);
  }
  const std::string target = argv[argc - 1];
  const ordered_json result = std::string_view(argv[1]) == "predict" ? predict(target, environment) : open(target);
  std::cout << result.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
  return 0;
}
