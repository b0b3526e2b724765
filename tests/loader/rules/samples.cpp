#include "tests/loader/rules/samples.h"

#include <algorithm>
#include <stdexcept>

#include "loader/rules/schema_text.h"

namespace myops::rules::samples {
namespace {

constexpr std::uint16_t kSharedObject = 3, kX8664 = 62;  // ET_DYN, EM_X86_64

std::shared_ptr<elf::ElfFacts> elf_facts() {
  auto facts = std::make_shared<elf::ElfFacts>();
  facts->bits = 64;
  facts->type = kSharedObject;
  facts->machine = kX8664;
  facts->load_alignment = 4096;
  facts->needed = {"libc10.so", "libtorch_cpu.so"};
  return facts;
}

Evidence evidence_at(const std::string& folder, const std::string& name) {
  static std::uint64_t last_inode = 0;
  Evidence evidence;
  evidence.file.folder = folder;
  evidence.file.path = folder + "/lib" + name + ".so";
  evidence.file.real_path = evidence.file.path;
  evidence.file.device = 1;
  evidence.file.inode = ++last_inode;
  evidence.file.mode = 0100644;
  evidence.elf = elf_facts();
  evidence.resolved = true;
  return evidence;
}

}  // namespace

const char* const kScale = "myops::scale(Tensor self, float factor) -> Tensor";
const char* const kBump = "myops::bump_(Tensor(a!) self) -> Tensor(a!)";
const char* const kScaleCpp = "at::Tensor (at::Tensor const&, double)";
const char* const kBumpCpp = "at::Tensor& (at::Tensor&)";

HostFacts host() {
  HostFacts host;
  host.arch = "x86_64";
  host.cpu_name = "A CPU";
  host.cpu_level = "x86-64-v3";
  host.cpu_features = {"avx2", "fma"};
  host.libc = "glibc 2.36";
  return host;
}

HostFacts gpu_host() {
  HostFacts facts = host();
  facts.gpus = {{"H100", "9.0"}};
  facts.driver = "580.65.06";
  return facts;
}

TorchFacts torch() {
  TorchFacts torch;
  torch.lib_dir = "/torch/lib";
  torch.version = "2.15.0";
  torch.git = "a15";
  torch.cuda = "13.2";
  torch.cxx11_abi = "new";
  torch.build_ids = {{"libc10.so", "10aa"}, {"libtorch_cpu.so", "20bb"}};
  return torch;
}

KernelRecord scale_record(const std::string& key) {
  return {std::string(without_namespace(kScale)), kScaleCpp, "", "registered at scale.cpp:1 on " + key};
}

KernelRecord bump_record(const std::string& key) {
  return {std::string(without_namespace(kBump)), kBumpCpp, "", "registered at bump.cpp:1 on " + key};
}

Manifest manifest(const std::string& name) {
  Manifest manifest;
  manifest.name = name;
  manifest.version = "0.1.0";
  manifest.op_namespace = "myops";
  manifest.set = "myops";
  manifest.release = "1";
  manifest.torch.version = "2.15.0";
  manifest.torch.git = "a15";
  manifest.torch.abi = "exact";
  manifest.torch.cuda = "13.2";
  manifest.cpu.arch = "x86_64";
  manifest.cpu.level = "x86-64";
  return manifest;
}

Manifest schema_manifest() {
  Manifest schema = manifest("myops_schema");
  schema.defines = {kBump, kScale};
  schema.libraries = {"myops"};
  return schema;
}

Manifest scale_manifest(const std::string& name, std::initializer_list<std::string> keys) {
  Manifest kernels = manifest(name);
  for (const std::string& key : keys) kernels.kernels[key]["myops::scale"] = scale_record(key);
  return kernels;
}

Manifest kernels_manifest(const std::string& name, std::initializer_list<std::string> keys) {
  Manifest kernels = scale_manifest(name, keys);
  for (const std::string& key : keys) kernels.kernels[key]["myops::bump_"] = bump_record(key);
  return kernels;
}

Manifest cuda_manifest() {
  Manifest cuda = scale_manifest("myops_cuda", {"CUDA"});
  cuda.cuda = Manifest::Cuda{"13.0", {{"80", "90"}, {}}};
  return cuda;
}

Evidence evidence(const Manifest& manifest) {
  Evidence evidence = evidence_at("/p", manifest.name);
  evidence.manifest = manifest;
  return evidence;
}

Evidence foreign_evidence(const std::string& name) { return evidence_at("/p", name); }

Verdict judged(const Evidence& evidence, const Request& request) { return judge(evidence, host(), torch(), request); }

Verdict usable(const Manifest& manifest, const std::string& folder) {
  Evidence evidence = evidence_at(folder, manifest.name);
  auto facts = elf_facts();
  facts->build_id = "b" + std::to_string(evidence.file.inode);
  evidence.elf = facts;
  evidence.manifest = manifest;
  return judge(evidence, gpu_host(), torch(), {});
}

Verdict refused(const Manifest& manifest, const std::string& folder) {
  Manifest old = manifest;
  old.torch.version = "2.11.0";
  return usable(old, folder);
}

DispatcherState loaded(const std::vector<Manifest>& manifests, DispatcherState state) {
  for (const Manifest& manifest : manifests) {
    for (const std::string& schema : manifest.defines) {
      state.schemas[std::string(operator_of(schema))] = schema;
      state.defined_at[std::string(operator_of(schema))] = "registered at schema.cpp:1";
    }
    for (const std::string& op_namespace : manifest.libraries) {
      state.libraries[op_namespace] = "registered at schema.cpp:1";
    }
    for (const auto& [key, operators] : manifest.kernels) {
      for (const auto& [op, record] : operators) {
        state.kernels[{op, key}] = record.registered;
        if (!record.cpp.empty()) state.cpp[op] = record.cpp;
      }
    }
    state.fallbacks.insert(state.fallbacks.end(), manifest.fallbacks.begin(), manifest.fallbacks.end());
  }
  return state;
}

std::vector<std::string> names_in_order(const LoadPlan& plan) {
  std::vector<std::string> names;
  for (const std::size_t file : plan.order) names.push_back(plan.files.at(file).name);
  return names;
}

const Verdict& file_named(const LoadPlan& plan, const std::string& name) {
  const auto is_it = [&](const Verdict& verdict) { return verdict.name == name; };
  if (std::count_if(plan.files.begin(), plan.files.end(), is_it) != 1) throw std::logic_error("not one " + name);
  return *std::find_if(plan.files.begin(), plan.files.end(), is_it);
}

const Verdict& file_at(const LoadPlan& plan, const std::string& path) {
  const auto found = std::find_if(plan.files.begin(), plan.files.end(),
                                  [&](const Verdict& verdict) { return verdict.file.path == path; });
  if (found == plan.files.end()) throw std::logic_error("no " + path);
  return *found;
}

}  // namespace myops::rules::samples
