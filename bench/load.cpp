// One measurement in a process of its own; prints milliseconds, and then a line for each library that was opened.
//
//   myops_bench_load load          check and load everything in the plugin folders
//   myops_bench_load dlopen FILE…  what the dynamic linker alone needs for these files
//   myops_bench_load plan          plan, without opening anything
#include <ATen/core/grad_mode.h>
#include <dlfcn.h>
#include <myops/loader.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using Opened = std::vector<std::string>;

// None where one of them cannot be opened.
std::optional<Opened> open_all(char** paths) {
  Opened opened;
  for (; *paths != nullptr; ++paths) {
    if (::dlopen(*paths, RTLD_NOW | RTLD_LOCAL) == nullptr) {
      std::fputs(::dlerror(), stderr);
      return std::nullopt;
    }
    opened.emplace_back(*paths);
  }
  return opened;
}

std::optional<Opened> perform(const std::string& task, char** arguments) {
  if (task == "load") return myops::load().opened();
  if (task == "dlopen") return open_all(arguments);
  return myops::plan().status() == 0 ? std::optional(Opened()) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: myops_bench_load load | plan | dlopen FILE...\n", stderr);
    return 2;
  }
  at::GradMode::is_enabled();  // torch is in the process
  const auto start = std::chrono::steady_clock::now();
  const auto opened = perform(argv[1], argv + 2);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (!opened) return 1;
  std::printf("%.4f\n", spent.count());
  for (const std::string& path : *opened) std::printf("%s\n", path.c_str());
}
