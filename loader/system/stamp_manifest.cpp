#include "loader/system/stamp_manifest.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "loader/rules/cpu_level.h"
#include "loader/system/stamp_cuda.h"

namespace myops::system {
namespace {

std::string plugin_name(const std::string& file) {
  auto name = std::filesystem::path(file).stem().string();
  return name.starts_with("lib") ? name.substr(3) : name;
}

std::string first_not_empty(const std::string& given, const std::string& otherwise) {
  return given.empty() ? otherwise : given;
}

std::string cpu_level(const StampOptions& options, const elf::ElfFacts& elf, const std::string& arch) {
  if (!options.level.empty()) return options.level;
  const auto stated = elf::isa_level_name(elf.isa_needed);
  if (!stated.empty()) return std::string(stated);
  return arch == "x86_64" ? "x86-64" : "";
}

Result<std::string> op_namespace(const ManifestSources& sources) {
  const std::string& named = sources.options.op_namespace;
  const auto touched = sources.registrations.namespaces();
  std::string found = "operators in";
  for (const auto& name : touched) found += " " + name;
  if (!named.empty()) {
    if (touched.empty() || std::find(touched.begin(), touched.end(), named) != touched.end()) return named;
    return Reason{.code = Code::kBadOption,
                  .subject = sources.options.file,
                  .expected = "operators in " + named + ", the namespace named",
                  .found = found,
                  .hint = "give that one: NAMESPACE of myops_add_plugin, --namespace of `myops stamp`"};
  }
  if (touched.size() == 1) return touched.front();
  return Reason{.code = Code::kBadOption,
                .subject = sources.options.file,
                .expected = "operators in one namespace, or the namespace named",
                .found = touched.empty() ? "no operators" : found,
                .hint = "give --namespace"};
}

// Mangled names of torch's own namespaces: functions, data, vtables and typeinfo alike.
bool is_cpp_of_torch(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return false;
  for (const std::string_view name : {"2at", "3c10", "5torch", "6caffe2"}) {
    if (symbol.find(std::string("N") + std::string(name)) != std::string_view::npos) return true;
    if (symbol.find(std::string("NK") + std::string(name)) != std::string_view::npos) return true;
  }
  return false;
}

bool is_shim(std::string_view symbol) { return symbol.starts_with("aoti_torch_") || symbol.starts_with("torch_"); }

}  // namespace

std::string release_text(const std::string& version, const std::string& torch_minor,
                         const std::vector<std::string>& schemas, const std::optional<rules::Manifest>& base) {
  const auto release = [&](const std::string& of_version, const std::string& hash) {
    return of_version + "+torch" + torch_minor + "+" + hash;
  };
  if (!base) return release(version, rules::schemas_hash(schemas));
  const auto first = base->release.find("+torch");
  const auto last = base->release.rfind('+');
  // A release that somebody made by another rule is taken as it is.
  if (first == std::string::npos || last <= first) return base->release;
  return release(base->release.substr(0, first), base->release.substr(last + 1));
}

std::string torch_abi(const elf::ElfFacts& elf, const std::string& torch_minor) {
  bool uses_shim = false;
  for (const auto& import : elf.imports) {
    if (is_cpp_of_torch(import.name)) return "exact";
    uses_shim = uses_shim || is_shim(import.name);
  }
  return uses_shim ? "stable>=" + torch_minor : "exact";
}

Result<rules::Manifest> make_manifest(const ManifestSources& sources) {
  const auto& [options, elf, device_code, registrations, torch, base] = sources;
  if (!options.level.empty() && !rules::level_rank(options.level)) {
    return Reason{.code = Code::kBadOption,
                  .subject = "--level",
                  .expected = "x86-64, x86-64-v2, x86-64-v3 or x86-64-v4",
                  .found = options.level,
                  .hint = "these are the levels of the psABI"};
  }
  const auto name_space = op_namespace(sources);
  if (!name_space) return name_space.error();
  const auto cuda = cuda_part(elf, device_code, options.cuda_runtime, torch.cuda);
  if (!cuda) return cuda.error();
  rules::Manifest manifest;
  manifest.name = first_not_empty(options.name, plugin_name(options.file));
  manifest.version = first_not_empty(options.version, "0");
  manifest.op_namespace = *name_space;
  manifest.set = first_not_empty(options.set, *name_space);
  manifest.release = release_text(manifest.version, torch.minor(), registrations.schemas, base);
  manifest.defines = registrations.defines;
  manifest.libraries = registrations.libraries;
  manifest.kernels = registrations.kernels;
  manifest.fallbacks = registrations.fallbacks;
  manifest.torch.version = torch.version;
  manifest.torch.git = torch.git;
  manifest.torch.abi = torch_abi(elf, torch.minor());
  manifest.torch.cuda = torch.cuda;
  manifest.torch.cxx11_abi = torch.cxx11_abi;
  manifest.torch.build_ids = torch.build_ids;
  manifest.cpu.arch = elf::machine_name(elf.machine, elf.bits, elf.little_endian);
  manifest.cpu.level = cpu_level(options, elf, manifest.cpu.arch);
  manifest.cuda = *cuda;
  return manifest;
}

}  // namespace myops::system
