#include "loader/system/torch.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "loader/system/mapped.h"
#include "loader/system/python_environment.h"
#include "loader/system/torch_folder.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

std::string python_of(const std::string& lib_dir) {
  std::error_code error;
  if (!fs::exists(fs::path(lib_dir) / "libtorch_python.so", error)) return "";
  const std::string own = python_of_package(fs::path(lib_dir).parent_path().string());
  return own.empty() ? python_on_path() : own;
}

bool same_folder(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

// "2.16.0" of "2.16.0.dev20261101", "2.16.0a0", "2.16.0rc1": what aoti_torch_abi_version() can say of it.
std::string release_of(const std::string& version) {
  std::string release = version.substr(0, version.find_first_not_of("0123456789."));
  while (release.ends_with('.')) release.pop_back();
  return release;
}

using BuildIds = std::map<std::string, std::string>;

// Of torch's libraries in this process, from their memory.
TorchInMemory read_torch_in_memory(const std::vector<MappedLibrary>& libraries) {
  TorchInMemory torch;
  for (const MappedLibrary& library : libraries) {
    const std::string name = library.path.substr(library.path.rfind('/') + 1);
    const bool is_of_torch = name.starts_with("libtorch") || name.starts_with("libc10");
    if (is_of_torch && !library.build_id.empty()) torch.build_ids.emplace(name, library.build_id);
    if (name != "libc10.so") continue;
    ask_memory(library.path,
               [&](const MemoryImage& image) { torch.cxx11_abi = image.names_contain(kNewAbiMark) ? "new" : "old"; });
  }
  return torch;
}

bool contradict(const BuildIds& running, const BuildIds& files) {
  return std::any_of(running.begin(), running.end(), [&](const auto& one) {
    const auto file = files.find(one.first);
    return file != files.end() && file->second != one.second;
  });
}

// The torch that runs, whose files say `files` of themselves. What runs decides: a torch that was reinstalled under a
// running process has other files than code, and of that code only release and build-ids are known.
rules::TorchFacts running_torch(const std::string& lib_dir, const std::string& version, const rules::TorchFacts* files,
                                const BuildIds& build_ids, std::vector<std::string>& notes) {
  const bool same_release = files && (version.empty() || release_of(files->version) == version);
  if (same_release && !contradict(build_ids, files->build_ids)) return *files;
  const std::string name = version.empty() ? "a torch of unknown version" : "torch " + version;
  notes.push_back(files ? name + " is running, and the files in " + lib_dir + " are those of another build, torch " +
                              files->version + ": restart the process"
                        : "the files of the running torch in " + lib_dir + " say nothing of its build");
  rules::TorchFacts torch;
  torch.lib_dir = lib_dir;
  torch.version = version;
  torch.build_ids = build_ids;
  return torch;
}

Result<TorchChoice> choose_mapped(const std::string& path, const std::string& named) {
  TorchChoice choice;
  const std::string lib_dir = fs::path(path).parent_path().string();
  const std::string running = mapped_torch_version(path);
  const std::vector<MappedLibrary> memory = read_mapped_memory();
  const TorchInMemory in_memory = read_torch_in_memory(memory);
  const auto files = read_torch(lib_dir, in_memory);
  if (!files && running.empty()) return files.error();
  std::vector<std::string> libraries;
  for (const MappedLibrary& library : memory) libraries.push_back(library.path);
  choice.torch = running_torch(lib_dir, running, files ? &*files : nullptr, in_memory.build_ids, choice.notes);
  choice.torch->mapped = true;
  choice.torch->cuda_mapped = find_by_name(libraries, "libtorch_cuda.so").has_value();
  choice.torch->python = find_by_name(libraries, "libtorch_python.so") ? libraries.front() : "";
  const auto wanted = torch_library_folder(named);
  if (wanted && !same_folder(*wanted, lib_dir)) {
    choice.notes.push_back("the torch in " + lib_dir + " is running in this process; the one named, in " + *wanted +
                           ", is not used");
  } else if (!wanted && !named.empty()) {
    choice.notes.push_back("the torch named, " + named + ", is none; the one running in this process is in " + lib_dir);
  }
  return choice;
}

Result<TorchChoice> choose_folder(const std::string& lib_dir) {
  auto torch = read_torch(lib_dir);
  if (!torch) return torch.error();
  torch->python = python_of(lib_dir);
  return TorchChoice{std::move(*torch), {}};
}

// Nobody named it, so that a broken one is a note and not somebody's mistake.
TorchChoice choose_environments() {
  const std::string python = python_on_path();
  const auto package = python.empty() ? std::nullopt : torch_package(python);
  if (!package) {
    const std::string place = python.empty() ? "there is no python3 on PATH" : "none among the packages of " + python;
    return {std::nullopt, {"no torch found: " + place + "; name one with --torch or MYOPS_TORCH"}};
  }
  auto choice = choose_folder(*package + "/lib");
  if (choice) return std::move(*choice);
  return {std::nullopt, {"the torch of " + python + " cannot be used: " + to_text(choice.error())}};
}

}  // namespace

Result<TorchChoice> choose_torch(const std::string& named, Machine machine) {
  const std::vector<std::string> libraries = mapped_libraries();
  const auto running = find_by_name(libraries, "libtorch_cpu.so");
  if (running && machine == Machine::kThis) return choose_mapped(*running, named);
  if (!named.empty()) {
    if (const auto lib_dir = torch_library_folder(named)) return choose_folder(*lib_dir);
    return Reason{Code::kTorchNotFound, named, "a folder with lib/libtorch_cpu.so, or that lib folder", "neither",
                  "name the `torch` folder of an installed torch, or the root of a libtorch archive"};
  }
  if (running) return choose_folder(fs::path(*running).parent_path().string());
  return choose_environments();
}

}  // namespace myops::system
