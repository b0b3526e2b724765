#include "loader/system/link_environment.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "loader/system/facts_cache.h"
#include "loader/system/linker_settings.h"
#include "loader/system/mapped.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

link::ReadOutcome passed_over(const std::string& why) {
  link::ReadOutcome outcome{link::SharedFacts{}};
  if (why != errno_text(ENOENT) && why != errno_text(ENOTDIR)) outcome.passed_over = why;
  return outcome;
}

link::Object object_at(const std::string& path, const link::Reader& read) {
  link::Object object{path, file_name(path), read(path)};
  if (object.facts && !object.facts->soname.empty()) object.soname = object.facts->soname;
  return object;
}

class Process {
 public:
  Process(link::Environment environment, const link::Reader& read)
      : environment_(std::move(environment)), read_(read) {}

  // Follows the opening of a file; with `global` it and all that it needs join the global scope. A file that is not
  // there is passed over.
  void open(const std::string& path, bool global) {
    const link::Object object = object_at(path, read_);
    if (!object.facts) return;
    const link::Closure closure = link::gather_closure(object, environment_, read_);
    for (const auto& opened : closure.opened) add(*opened);
    if (!global) return;
    for (const link::Object* scoped : closure.scope) make_global(scoped->path);
  }

  void add(link::Object object) {
    if (index_.emplace(object.path, environment_.loaded.size()).second) {
      environment_.loaded.add(std::move(object));
    }
  }

  link::Environment take() { return std::move(environment_); }

 private:
  void make_global(const std::string& path) {
    const auto found = index_.find(path);
    if (found != index_.end() && global_.insert(found->second).second) environment_.global.push_back(found->second);
  }

  link::Environment environment_;
  const link::Reader& read_;
  std::map<std::string, std::size_t> index_;
  std::set<std::size_t> global_;
};

// torch/_C.cpython-311-x86_64-linux-gnu.so, torch/_C.abi3.so
std::string extension_module(const std::string& lib_dir) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(fs::path(lib_dir).parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("_C.") && name.ends_with(".so")) found.push_back(entry->path().string());
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? lib_dir + "/libtorch_python.so" : found.front();
}

// A library whose file cannot be read any more, or is another by now, still answers to its name.
link::Object mapped_object(const MappedLibrary& library, const link::Reader& read) {
  link::Object object{library.path, file_name(library.path), {}};
  if (!library.replaced) object = object_at(library.path, read);
  if (!object.facts && !library.soname.empty()) object.soname = library.soname;
  return object;
}

link::Object unread_object(const MappedLibrary& library) {
  return {library.path, library.soname.empty() ? file_name(library.path) : library.soname, {}, {}, true};
}

// apply() opens it before a library for CUDA, where it is not there already.
void open_c10_cuda(Process& process, const rules::TorchFacts& torch) {
  process.open(torch.lib_dir + "/libc10_cuda.so", false);
}

// What is mapped now. Which of them are in the global scope is not told by the linker: the program's own closure is,
// and torch's libtorch_global_deps, which `import torch` opens with RTLD_GLOBAL.
void follow_this_process(Process& process, const link::Reader& read) {
  std::vector<std::string> libraries;
  for (const MappedLibrary& library : read_mapped_libraries()) {
    process.add(mapped_object(library, read));
    libraries.push_back(library.path);
  }
  process.open(libraries.front(), true);
  if (const auto deps = find_by_name(libraries, "libtorch_global_deps.so")) process.open(*deps, true);
}

// The same for names alone: no symbol is searched, so that the global scope is of no account, and no file is read but
// the program's, whose own DT_RPATH is for all that it opens.
void name_this_process(Process& process, const link::Reader& read) {
  bool is_program = true;
  for (const MappedLibrary& library : read_mapped_memory()) {
    process.add(std::exchange(is_program, false) ? object_at(library.path, read) : unread_object(library));
  }
}

}  // namespace

link::Reader facts_reader(const rules::HostFacts& host, const rules::TorchFacts& torch, Reading reading) {
  // site-packages for a package (torch/lib, nvidia/*/lib), the root for a libtorch archive.
  const fs::path folder = fs::path(torch.lib_dir).parent_path();
  const std::string own = (folder.filename() == "torch" ? folder.parent_path() : folder).string() + "/";
  return [arch = host.arch, own, reading](const std::string& path) -> link::ReadOutcome {
    elf::Depth depth = elf::Depth::kSymbols;
    if (reading == Reading::kNames) depth = path.starts_with(own) ? elf::Depth::kIdentity : elf::Depth::kVersions;
    auto facts = facts_cache().read(path, depth);
    // glibc's search goes on over what is absent or may not be opened, and ends at what it cannot read as a library.
    if (!facts && facts.error().code == Code::kUnreadable) return passed_over(facts.error().found);
    if (!facts) return facts.error();
    const elf::ElfFacts& file = **facts;
    const std::string machine = elf::machine_name(file.machine, file.bits, file.little_endian);
    if (machine != arch) return passed_over("for " + machine);
    return std::move(*facts);
  };
}

link::Environment link_environment(const rules::HostFacts& host, const rules::TorchFacts& torch,
                                   const link::Reader& read, Reading reading) {
  link::Environment environment = linker_settings(host);
  const std::vector<std::string> preloads = preloaded_libraries(environment);
  Process process(std::move(environment), read);
  const auto follow = reading == Reading::kNames ? &name_this_process : &follow_this_process;
  if (torch.mapped) {
    follow(process, read);
    open_c10_cuda(process, torch);
    return process.take();
  }
  if (torch.python.empty()) {
    // A C++ program: this one stands for it.
    follow(process, read);
    process.open(torch.lib_dir + "/libtorch_cpu.so", false);
    open_c10_cuda(process, torch);
    return process.take();
  }
  std::error_code error;
  const fs::path python = fs::canonical(torch.python, error);
  process.open(error ? torch.python : python.string(), true);
  for (const std::string& path : preloads) process.open(path, true);
  // torch/__init__.py: _load_global_deps(), then the extension module.
  process.open(torch.lib_dir + "/libtorch_global_deps.so", true);
  process.open(extension_module(torch.lib_dir), false);
  return process.take();
}

void read_needed(const link::Closure& closure, link::Environment& environment) {
  std::set<std::string_view> names;
  for (const auto& opened : closure.opened) {
    for (const elf::VersionNeed& need : opened->facts->version_needs) names.insert(need.file);
  }
  for (std::size_t i = 0; i < environment.loaded.size(); ++i) {
    const link::Object& loaded = environment.loaded[i];
    if (!loaded.unread) continue;
    const auto is_needed = [&](std::string_view name) { return link::is_called(loaded, name); };
    if (std::ranges::none_of(names, is_needed)) continue;
    // None, of which nothing is proven, where it is gone by now.
    link::SharedFacts facts;
    ask_memory(loaded.path,
               [&](const MemoryImage& image) { facts = std::make_shared<const elf::ElfFacts>(image.versions()); });
    environment.loaded.set_facts(i, std::move(facts));
  }
}

}  // namespace myops::system
