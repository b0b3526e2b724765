// Reads a manifest: every field is checked for type and form, and the first that is wrong is named.
#include <algorithm>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "loader/rules/json_fields.h"
#include "loader/rules/manifest.h"
#include "loader/rules/manifest_forms.h"
#include "loader/rules/strict_json.h"

namespace myops::rules {
namespace {

using boost::json::object;

constexpr std::uint64_t kMostFormats = 1000000;

KernelRecord read_record(const ObjectReader& record) {
  return {record.text("schema", kAnyText), record.optional_text("cpp", kAnyText),
          record.optional_text("cpp_symint", kAnyText), record.text("registered", kAnyText)};
}

void read_kernels(const ObjectReader& root, FirstFault& fault, Manifest& manifest) {
  const object* keys = root.object("kernels");
  if (!keys) return root.missing("kernels", "an object");
  const ObjectReader kernels(*keys, root, "kernels");
  for (const auto& [key, value] : *keys) {
    kernels.check_name(key, kKeyForm);
    const object* operators = kernels.object_of(key, value);
    if (!operators) return;
    const ObjectReader of_key(*operators, kernels, key);
    auto& records = manifest.kernels[key];
    for (const auto& [op, record] : *operators) {
      of_key.check_name(op, kOperatorForm);
      const object* fields = of_key.object_of(op, record);
      if (fields) records.emplace(op, read_record(ObjectReader(*fields, of_key, op)));
      if (fault.reason()) return;
    }
  }
}

void read_torch(const ObjectReader& root, Manifest& manifest) {
  const object* json = root.object("torch");
  if (!json) return root.missing("torch", "an object");
  const ObjectReader torch(*json, root, "torch");
  manifest.torch.version = torch.text("version", kVersionForm);
  manifest.torch.git = torch.text("git", kGitForm);
  manifest.torch.abi = torch.text("abi", kAbiForm);
  manifest.torch.cuda = torch.text("cuda", kCudaForm);
  manifest.torch.cxx11_abi = torch.optional_text("cxx11_abi", kCxx11AbiForm);
  const object* ids = torch.object("build_ids");
  if (!ids) return torch.missing("build_ids", "an object");
  const ObjectReader build_ids(*ids, torch, "build_ids");
  for (const auto& [file, id] : *ids) {
    build_ids.check_name(file, kNameForm);
    manifest.torch.build_ids.emplace(file, build_ids.text_of(file, id, kBuildIdForm));
  }
}

Manifest::DeviceCode read_device_code(const ObjectReader& json) {
  return {json.texts("sm", kGpuArchForm), json.texts("ptx", kGpuArchForm)};
}

void read_hardware(const ObjectReader& root, Manifest& manifest) {
  const object* json = root.object("cpu");
  if (!json) return root.missing("cpu", "an object");
  const ObjectReader cpu(*json, root, "cpu");
  manifest.cpu.arch = cpu.text("arch", kArchForm);
  manifest.cpu.level = cpu.text("level", kLevelForm);
  if (const object* cuda_json = root.object("cuda")) {
    const ObjectReader cuda(*cuda_json, root, "cuda");
    manifest.cuda = Manifest::Cuda{cuda.text("runtime", kVersionForm), read_device_code(cuda)};
    const boost::json::array* parts = cuda.array("parts");
    for (const auto& value : parts ? *parts : boost::json::array{}) {
      const object* part = cuda.object_of("parts", value);
      if (!part) return;
      manifest.cuda->parts.push_back(read_device_code(ObjectReader(*part, cuda, "parts")));
    }
  }
}

Manifest read_manifest(const ObjectReader& root, FirstFault& fault) {
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
  read_torch(root, manifest);
  read_hardware(root, manifest);
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
    {"runtime", &kNoObject}, {"sm", &kNoObject}, {"ptx", &kNoObject}, {"parts", &kNoObject}};
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

// What `known` has and its shape has not, at any depth.
object unknown_fields(const object& known, const Shape& shape) {
  object rest;
  for (const auto& [name, value] : known) {
    const Shape* inner_shape = shape_of(shape, name);
    if (!inner_shape) {
      rest[name] = value;
    } else if (const object* inner = value.if_object()) {
      object inner_rest = unknown_fields(*inner, *inner_shape);
      if (!inner_rest.empty()) rest[name] = std::move(inner_rest);
    }
  }
  return rest;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text) {
  if (text.empty()) return Reason{Code::kUnstamped, "", "", "", "let `myops stamp` write its manifest"};
  // Of one piece, and nobody else's: its values count no owners and are not freed one by one.
  boost::json::monotonic_resource memory;
  const auto json = parse_json(text, Code::kManifestDamaged, &memory);
  if (json.has_error()) return json.error();
  if (!json->is_object()) return Reason{Code::kManifestDamaged, "JSON", "an object", described(*json), ""};
  FirstFault fault(Code::kManifestDamaged);
  const ObjectReader root(json->get_object(), fault);
  const auto format = root.number("format", 1, kMostFormats);
  if (fault.reason()) return *fault.reason();
  if (format > kManifestFormat) {
    return Reason{Code::kManifestNewer, "format", std::to_string(kManifestFormat), std::to_string(format),
                  "update myops"};
  }
  Manifest manifest = read_manifest(root, fault);
  if (fault.reason()) return *fault.reason();
  const object rest = unknown_fields(json->get_object(), kRoot);
  if (!rest.empty()) manifest.unknown = boost::json::serialize(rest);
  return manifest;
}

bool Manifest::registers() const {
  return !defines.empty() || !libraries.empty() || !keys().empty() || !fallbacks.empty();
}

std::vector<std::string> Manifest::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, operators] : kernels) {
    if (!operators.empty()) names.push_back(key);
  }
  return names;
}

}  // namespace myops::rules
