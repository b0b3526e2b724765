// One measurement in a process of its own; prints milliseconds, and then a line for each library that was opened.
//
//   myops_bench_load load          check and load everything in the plugin folders
//   myops_bench_load dlopen FILE…  what the dynamic linker alone needs for these files
//   myops_bench_load plan          plan, without opening anything
//   myops_bench_load check FILE…   judge these files
#include <ATen/core/grad_mode.h>
#include <dlfcn.h>
#include <myops/loader.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

// False where one of them cannot be opened.
bool open_all(char** paths) {
  for (; *paths != nullptr; ++paths) {
    if (::dlopen(*paths, RTLD_NOW | RTLD_LOCAL) != nullptr) continue;
    std::fputs(::dlerror(), stderr);
    return false;
  }
  return true;
}

// False where one of them would not load.
bool check_all(char** paths) {
  std::vector<std::string> files;
  for (; *paths != nullptr; ++paths) files.emplace_back(*paths);
  std::string options = "{";
  myops::detail::append_list(options, "files", files);
  options.back() = '}';
  char* result = nullptr;
  const int status = ::myops_check(options.c_str(), &result);
  ::myops_free(result);
  return status == 0;
}

bool perform(const std::string& task, char** arguments, std::optional<myops::Report>& report) {
  if (task == "dlopen") return open_all(arguments);
  if (task == "check") return check_all(arguments);
  report = task == "load" ? myops::load() : myops::plan();
  return report->status() == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: myops_bench_load load | plan | dlopen FILE... | check FILE...\n", stderr);
    return 2;
  }
  at::GradMode::is_enabled();  // torch is in the process
  const auto start = std::chrono::steady_clock::now();
  std::optional<myops::Report> report;
  const bool done = perform(argv[1], argv + 2, report);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (!done) return 1;
  std::printf("%.4f\n", spent.count());
  if (!report) return 0;
  for (const std::string& path : report->opened()) std::printf("%s\n", path.c_str());
}
