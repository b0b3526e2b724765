#include "loader/rules/manifest_shape.h"

#include <algorithm>

#include "loader/rules/manifest_forms.h"

namespace myops::rules {
namespace {

constexpr Field text(std::string_view name, const TextForm& form, std::string& (*where)(Draft&),
                     bool optional = false) {
  return {.name = name, .text = where, .form = &form, .optional = optional};
}
constexpr Field texts(std::string_view name, const TextForm& form, std::vector<std::string>& (*where)(Draft&),
                      bool optional = false) {
  return {.name = name, .texts = where, .form = &form, .optional = optional};
}
constexpr Field object(std::string_view name, const Shape& shape, bool optional = false) {
  return {.name = name, .object = &shape, .optional = optional};
}

const Field kRecordFields[] = {
    text("schema", kAnyText, [](Draft& draft) -> auto& { return draft.record->schema; }),
    text(
        "cpp", kAnyText, [](Draft& draft) -> auto& { return draft.record->cpp; }, true),
    text(
        "cpp_symint", kAnyText, [](Draft& draft) -> auto& { return draft.record->cpp_symint; }, true),
    text("registered", kAnyText, [](Draft& draft) -> auto& { return draft.record->registered; })};
const Shape kRecord{.fields = kRecordFields};
const Field kAnyRecord = object("", kRecord);
const Shape kOperators{.any_name = &kOperatorForm, .every = &kAnyRecord, .take_name = [](Draft& draft, auto name) {
                         draft.record = &draft.records->try_emplace(draft.records->end(), std::string(name))->second;
                       }};
const Field kAnyOperators = object("", kOperators);
const Shape kKernels{.any_name = &kKeyForm, .every = &kAnyOperators, .take_name = [](Draft& draft, auto name) {
                       draft.records = &draft.manifest.kernels[std::string(name)];
                     }};

const Field kAnyBuildId = text("", kBuildIdForm, [](Draft& draft) -> auto& { return *draft.build_id; });
const Shape kBuildIds{.any_name = &kNameForm, .every = &kAnyBuildId, .take_name = [](Draft& draft, auto name) {
                        draft.build_id = &draft.manifest.torch.build_ids[std::string(name)];
                      }};
const Field kTorchFields[] = {
    text("version", kVersionForm, [](Draft& draft) -> auto& { return draft.manifest.torch.version; }),
    text("git", kGitForm, [](Draft& draft) -> auto& { return draft.manifest.torch.git; }),
    text("abi", kAbiForm, [](Draft& draft) -> auto& { return draft.manifest.torch.abi; }),
    text("cuda", kCudaForm, [](Draft& draft) -> auto& { return draft.manifest.torch.cuda; }),
    text(
        "cxx11_abi", kCxx11AbiForm, [](Draft& draft) -> auto& { return draft.manifest.torch.cxx11_abi; }, true),
    object("build_ids", kBuildIds)};
const Shape kTorch{.fields = kTorchFields};

const Field kCpuFields[] = {text("arch", kArchForm, [](Draft& draft) -> auto& { return draft.manifest.cpu.arch; }),
                            text("level", kLevelForm, [](Draft& draft) -> auto& { return draft.manifest.cpu.level; })};
const Shape kCpu{.fields = kCpuFields};

const Field kPartFields[] = {
    texts("sm", kGpuArchForm, [](Draft& draft) -> auto& { return draft.manifest.cuda->parts.back().sm; }),
    texts("ptx", kGpuArchForm, [](Draft& draft) -> auto& { return draft.manifest.cuda->parts.back().ptx; })};
const Shape kPart{.fields = kPartFields, .begin = [](Draft& draft) { draft.manifest.cuda->parts.emplace_back(); }};
const Field kCudaFields[] = {
    text("runtime", kVersionForm, [](Draft& draft) -> auto& { return draft.manifest.cuda->runtime; }),
    texts("sm", kGpuArchForm, [](Draft& draft) -> auto& { return draft.manifest.cuda->code.sm; }),
    texts("ptx", kGpuArchForm, [](Draft& draft) -> auto& { return draft.manifest.cuda->code.ptx; }),
    {.name = "parts", .objects = &kPart, .optional = true}};
const Shape kCuda{.fields = kCudaFields, .begin = [](Draft& draft) { draft.manifest.cuda.emplace(); }};

const Field kRootFields[] = {
    {.name = "format", .number = [](Draft& draft) -> auto& { return draft.format; }},
    text("name", kNameForm, [](Draft& draft) -> auto& { return draft.manifest.name; }),
    text("version", kReleaseForm, [](Draft& draft) -> auto& { return draft.manifest.version; }),
    text("namespace", kNamespaceForm, [](Draft& draft) -> auto& { return draft.manifest.op_namespace; }),
    text("set", kNameForm, [](Draft& draft) -> auto& { return draft.manifest.set; }),
    text("release", kReleaseForm, [](Draft& draft) -> auto& { return draft.manifest.release; }),
    texts("defines", kDefinitionForm, [](Draft& draft) -> auto& { return draft.manifest.defines; }),
    texts(
        "libraries", kNamespaceForm, [](Draft& draft) -> auto& { return draft.manifest.libraries; }, true),
    object("kernels", kKernels),
    texts("fallbacks", kKeyForm, [](Draft& draft) -> auto& { return draft.manifest.fallbacks; }),
    object("torch", kTorch),
    object("cpu", kCpu),
    object("cuda", kCuda, true)};

}  // namespace

constinit const Shape kManifestShape{.fields = kRootFields};

std::string Field::expected() const {
  if (number) return "a number from 1 to " + std::to_string(kMostFormats);
  if (object) return "an object";
  return text ? std::string(form->description) : "an array";
}

const Field* field_of(const Shape& shape, std::string_view name) {
  if (shape.every) return shape.every;
  const auto found = std::ranges::find(shape.fields, name, &Field::name);
  return found == shape.fields.end() ? nullptr : &*found;
}

}  // namespace myops::rules
