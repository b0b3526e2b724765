// Reads a manifest: every field is checked for type and form, and the first that is wrong is named.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "loader/rules/json_fields.h"
#include "loader/rules/manifest.h"
#include "loader/rules/manifest_forms.h"
#include "loader/rules/strict_json.h"

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostFormats = 1000000;

KernelRecord read_record(const Json& json, const std::string& path, FirstFault& fault) {
  if (!json.is_object()) {
    fault.set(path, "an object", described(json));
    return {};
  }
  const ObjectReader record(json, path + ".", fault);
  return {record.text("schema", kAnyText), record.optional_text("cpp", kAnyText),
          record.optional_text("cpp_symint", kAnyText), record.text("registered", kAnyText)};
}

void read_kernels(const ObjectReader& root, FirstFault& fault, Manifest& manifest) {
  const Json* keys = root.object("kernels");
  if (!keys) return root.missing("kernels", "an object");
  for (const auto& [key, operators] : keys->items()) {
    const std::string path = "kernels." + key;
    root.item(key, path, kKeyForm);
    if (!operators.is_object()) return fault.set(path, "an object", described(operators));
    for (const auto& [op, record] : operators.items()) {
      root.item(op, path + "." + op, kOperatorForm);
      manifest.kernels[key][op] = read_record(record, path + "." + op, fault);
      if (fault.reason()) return;
    }
  }
}

void read_torch(const ObjectReader& root, FirstFault& fault, Manifest& manifest) {
  const Json* json = root.object("torch");
  if (!json) return root.missing("torch", "an object");
  const ObjectReader torch(*json, "torch.", fault);
  manifest.torch.version = torch.text("version", kVersionForm);
  manifest.torch.git = torch.text("git", kGitForm);
  manifest.torch.abi = torch.text("abi", kAbiForm);
  manifest.torch.cuda = torch.text("cuda", kCudaForm);
  manifest.torch.cxx11_abi = torch.optional_text("cxx11_abi", kCxx11AbiForm);
  const Json* build_ids = torch.object("build_ids");
  if (!build_ids) return torch.missing("build_ids", "an object");
  for (const auto& [file, id] : build_ids->items()) {
    torch.item(file, "torch.build_ids." + file, kNameForm);
    manifest.torch.build_ids[file] = torch.item(id, "torch.build_ids." + file, kBuildIdForm);
  }
}

void read_hardware(const ObjectReader& root, FirstFault& fault, Manifest& manifest) {
  const Json* json = root.object("cpu");
  if (!json) return root.missing("cpu", "an object");
  const ObjectReader cpu(*json, "cpu.", fault);
  manifest.cpu.arch = cpu.text("arch", kArchForm);
  manifest.cpu.level = cpu.text("level", kLevelForm);
  if (!root.has("cuda")) return;
  if (const Json* cuda_json = root.object("cuda")) {
    const ObjectReader cuda(*cuda_json, "cuda.", fault);
    manifest.cuda = Manifest::Cuda{cuda.text("runtime", kVersionForm), cuda.texts("sm", kGpuArchForm),
                                   cuda.texts("ptx", kGpuArchForm)};
  }
}

Manifest read_manifest(const Json& json, FirstFault& fault) {
  const ObjectReader root(json, "", fault);
  Manifest manifest;
  manifest.name = root.text("name", kNameForm);
  manifest.version = root.text("version", kReleaseForm);
  manifest.op_namespace = root.text("namespace", kNamespaceForm);
  manifest.set = root.text("set", kNameForm);
  manifest.release = root.text("release", kReleaseForm);
  manifest.defines = root.texts("defines", kDefinitionForm);
  manifest.libraries = root.optional_texts("libraries", kNamespaceForm);
  read_kernels(root, fault, manifest);
  manifest.fallbacks = root.texts("fallbacks", kKeyForm);
  read_torch(root, fault, manifest);
  read_hardware(root, fault, manifest);
  return manifest;
}

// The names that objects of a manifest have: `members`, or any, each an object of the shape `every`.
struct Shape {
  std::span<const std::pair<std::string_view, const Shape*>> members;
  const Shape* every = nullptr;
};

constexpr Shape kNoObject{};
constexpr Shape kAnyNames{{}, &kNoObject};
constexpr std::pair<std::string_view, const Shape*> kRecordFields[] = {
    {"schema", &kNoObject}, {"cpp", &kNoObject}, {"cpp_symint", &kNoObject}, {"registered", &kNoObject}};
constexpr Shape kRecord{kRecordFields};
constexpr Shape kOperators{{}, &kRecord};
constexpr Shape kKernels{{}, &kOperators};
constexpr std::pair<std::string_view, const Shape*> kTorchFields[] = {
    {"version", &kNoObject}, {"git", &kNoObject},       {"abi", &kNoObject},
    {"cuda", &kNoObject},    {"cxx11_abi", &kNoObject}, {"build_ids", &kAnyNames}};
constexpr Shape kTorch{kTorchFields};
constexpr std::pair<std::string_view, const Shape*> kCpuFields[] = {{"arch", &kNoObject}, {"level", &kNoObject}};
constexpr Shape kCpu{kCpuFields};
constexpr std::pair<std::string_view, const Shape*> kCudaFields[] = {
    {"runtime", &kNoObject}, {"sm", &kNoObject}, {"ptx", &kNoObject}};
constexpr Shape kCuda{kCudaFields};
constexpr std::pair<std::string_view, const Shape*> kRootFields[] = {
    {"format", &kNoObject}, {"name", &kNoObject},      {"version", &kNoObject}, {"namespace", &kNoObject},
    {"set", &kNoObject},    {"release", &kNoObject},   {"defines", &kNoObject}, {"libraries", &kNoObject},
    {"kernels", &kKernels}, {"fallbacks", &kNoObject}, {"torch", &kTorch},      {"cpu", &kCpu},
    {"cuda", &kCuda}};
constexpr Shape kRoot{kRootFields};

const Shape* shape_of(const Shape& parent, std::string_view name) {
  if (parent.every) return parent.every;
  const auto found = std::ranges::find(parent.members, name, [](const auto& member) { return member.first; });
  return found == parent.members.end() ? nullptr : found->second;
}

// What `object` has and its shape has not, at any depth.
Json unknown_fields(const Json& object, const Shape& shape) {
  Json rest = Json::object();
  for (const auto& [name, value] : object.items()) {
    const Shape* known = shape_of(shape, name);
    if (!known) {
      rest[name] = value;
    } else if (value.is_object()) {
      Json inner = unknown_fields(value, *known);
      if (!inner.empty()) rest[name] = std::move(inner);
    }
  }
  return rest;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.empty()) return Reason{Code::kUnstamped, "", "", "", "let `myops stamp` write its manifest"};
  auto json = parse_json(text, Code::kManifestDamaged);
  if (json.has_error()) return json.error();
  FirstFault fault(Code::kManifestDamaged);
  if (!json->is_object()) fault.set("JSON", "an object", described(*json));
  const auto format = ObjectReader(*json, "", fault).number("format", 1, kMostFormats);
  if (fault.reason()) return *fault.reason();
  if (format > kManifestFormat) {
    return Reason{Code::kManifestNewer, "format", std::to_string(kManifestFormat), std::to_string(format),
                  "update myops"};
  }
  Manifest manifest = read_manifest(*json, fault);
  if (fault.reason()) return *fault.reason();
  const Json rest = unknown_fields(*json, kRoot);
  if (!rest.empty()) manifest.unknown = rest.dump();
  return manifest;
}

std::vector<std::string> Manifest::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, operators] : kernels) {
    if (!operators.empty()) names.push_back(key);
  }
  return names;
}

}  // namespace myops::rules
