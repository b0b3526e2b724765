#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "loader/rules/manifest.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::IsReason;
using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

Json valid() {
  return Json::parse(R"json({
    "format": 1, "name": "myops_cpu", "version": "0.1.0", "namespace": "myops", "set": "myops",
    "release": "0.1.0+torch2.15+0123456789ab", "defines": ["myops::f(Tensor self) -> Tensor"], "libraries": ["myops"],
    "kernels": {"CPU": {"myops::f.out": {
      "schema": "f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
      "cpp": "at::Tensor& (at::Tensor const&, at::Tensor&)", "cpp_symint": "", "registered": "registered at f.cpp:1"}}},
    "fallbacks": ["PrivateUse1"],
    "torch": {"version": "2.15.0", "git": "0a1b", "abi": "exact", "cuda": "13.2", "cxx11_abi": "new",
              "build_ids": {"libc10.so": "0f", "libtorch_cpu.so": "1e"}},
    "cpu": {"arch": "x86_64", "level": "x86-64-v3"},
    "cuda": {"runtime": "13.0", "sm": ["75", "90a"], "ptx": ["120"],
             "parts": [{"sm": ["75", "90a"], "ptx": ["120"]}, {"sm": ["90a"], "ptx": []}]}})json");
}

// The fault of the valid manifest with `value` at `pointer` (null: the member is taken away).
Reason fault_with(const std::string& pointer, const Json& value) {
  Json json = valid();
  const Json::json_pointer place(pointer);
  if (value.is_null()) {
    json[place.parent_pointer()].erase(place.back());
  } else {
    json[place] = value;
  }
  const auto manifest = parse_manifest(json.dump());
  return manifest ? Reason{Code::kForeign, "", "", "no fault", ""} : manifest.error();
}

TEST(ManifestParse, ReadsEveryField) {
  const auto manifest = parse_manifest(valid().dump());
  ASSERT_TRUE(manifest) << to_text(manifest.error());
  EXPECT_EQ(manifest->format, 1);
  EXPECT_EQ(manifest->name, "myops_cpu");
  EXPECT_EQ(manifest->version, "0.1.0");
  EXPECT_EQ(manifest->op_namespace, "myops");
  EXPECT_EQ(manifest->set, "myops");
  EXPECT_EQ(manifest->release, "0.1.0+torch2.15+0123456789ab");
  EXPECT_THAT(manifest->defines, ElementsAre("myops::f(Tensor self) -> Tensor"));
  EXPECT_THAT(manifest->libraries, ElementsAre("myops"));
  EXPECT_THAT(manifest->fallbacks, ElementsAre("PrivateUse1"));
  EXPECT_THAT(manifest->keys(), ElementsAre("CPU"));
  const KernelRecord& record = manifest->kernels.at("CPU").at("myops::f.out");
  EXPECT_EQ(record.schema, "f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(record.cpp, "at::Tensor& (at::Tensor const&, at::Tensor&)");
  EXPECT_EQ(record.registered, "registered at f.cpp:1");
  EXPECT_EQ(manifest->torch.version, "2.15.0");
  EXPECT_EQ(manifest->torch.git, "0a1b");
  EXPECT_EQ(manifest->torch.abi, "exact");
  EXPECT_EQ(manifest->torch.cuda, "13.2");
  EXPECT_EQ(manifest->torch.cxx11_abi, "new");
  EXPECT_THAT(manifest->torch.build_ids, ElementsAre(Pair("libc10.so", "0f"), Pair("libtorch_cpu.so", "1e")));
  EXPECT_EQ(manifest->cpu.arch, "x86_64");
  EXPECT_EQ(manifest->cpu.level, "x86-64-v3");
  ASSERT_TRUE(manifest->cuda);
  EXPECT_EQ(manifest->cuda->runtime, "13.0");
  EXPECT_THAT(manifest->cuda->code.sm, ElementsAre("75", "90a"));
  EXPECT_THAT(manifest->cuda->code.ptx, ElementsAre("120"));
  ASSERT_EQ(manifest->cuda->parts.size(), 2u);
  EXPECT_THAT(manifest->cuda->parts[0].ptx, ElementsAre("120"));
  EXPECT_THAT(manifest->cuda->parts[1].sm, ElementsAre("90a"));
  EXPECT_EQ(manifest->unknown, "");
}

TEST(ManifestParse, CallsAnEmptyNoteUnstamped) { EXPECT_THAT(parse_manifest("").error(), IsReason(Code::kUnstamped)); }

TEST(ManifestParse, KnowsANewerFormatBeforeItLooksAtAnyOtherField) {
  const auto newer = parse_manifest(R"({"format": 2, "name": ["of", "a", "new", "kind"]})");
  EXPECT_THAT(newer.error(), IsReason(Code::kManifestNewer, "1", "2"));
}

TEST(ManifestParse, RefusesWhatIsNoJsonObject) {
  EXPECT_THAT(parse_manifest("[1]").error(), IsReasonAbout("JSON", Code::kManifestDamaged, "an object", "an array"));
  EXPECT_THAT(parse_manifest("{\"format\": 1").error(),
              IsReasonAbout("JSON", Code::kManifestDamaged, _, StartsWith("a syntax error at byte")));
  EXPECT_THAT(parse_manifest("\x01\x02").error(), IsReasonAbout("JSON", Code::kManifestDamaged));
}

TEST(ManifestParse, TakesEmptyKernelListsForNoKeys) {
  Json json = valid();
  json["kernels"]["Meta"] = Json::object();
  EXPECT_THAT(parse_manifest(json.dump())->keys(), ElementsAre("CPU"));
}

TEST(ManifestParse, TakesEmptyTextsWhereThereMayBeNothingToRecord) {
  for (const char* pointer : {"/torch/git", "/torch/cuda", "/torch/cxx11_abi", "/torch/build_ids/libc10.so",
                              "/cpu/level", "/kernels/CPU/myops::f.out/schema"}) {
    EXPECT_THAT(fault_with(pointer, ""), IsReason(Code::kForeign, _, "no fault")) << pointer;
  }
}

// Cases 35: each field damaged in turn gives a fault that names it.
struct Damage {
  const char* pointer;
  Json value;
  const char* subject;
  const char* found;
};

TEST(ManifestParse, NamesEachFieldThatIsMissing) {
  const std::pair<const char*, const char*> kRequired[] = {
      {"/format", "format"},
      {"/name", "name"},
      {"/version", "version"},
      {"/namespace", "namespace"},
      {"/set", "set"},
      {"/release", "release"},
      {"/defines", "defines"},
      {"/kernels", "kernels"},
      {"/fallbacks", "fallbacks"},
      {"/torch", "torch"},
      {"/torch/version", "torch.version"},
      {"/torch/git", "torch.git"},
      {"/torch/abi", "torch.abi"},
      {"/torch/cuda", "torch.cuda"},
      {"/torch/build_ids", "torch.build_ids"},
      {"/cpu", "cpu"},
      {"/cpu/arch", "cpu.arch"},
      {"/cpu/level", "cpu.level"},
      {"/cuda/runtime", "cuda.runtime"},
      {"/cuda/sm", "cuda.sm"},
      {"/cuda/ptx", "cuda.ptx"},
      {"/cuda/parts/0/sm", "cuda.parts.sm"},
      {"/kernels/CPU/myops::f.out/schema", "kernels.CPU.myops::f.out.schema"},
      {"/kernels/CPU/myops::f.out/registered", "kernels.CPU.myops::f.out.registered"}};
  for (const auto& [pointer, subject] : kRequired) {
    EXPECT_THAT(fault_with(pointer, nullptr), IsReasonAbout(subject, Code::kManifestDamaged, _, "nothing"));
  }
}

TEST(ManifestParse, DoesWithoutFieldsThatOlderWritersDidNotHave) {
  for (const char* pointer : {"/libraries", "/cuda", "/torch/cxx11_abi", "/kernels/CPU/myops::f.out/cpp",
                              "/kernels/CPU/myops::f.out/cpp_symint"}) {
    EXPECT_THAT(fault_with(pointer, nullptr), IsReason(Code::kForeign, _, "no fault")) << pointer;
  }
}

TEST(ManifestParse, NamesEachFieldWithAnEmptyLongOrMisshapenText) {
  const std::string long_name(129, 'a'), long_text(16385, 'a');
  const Damage kDamages[] = {
      {"/name", "", "name", "\"\""},
      {"/name", long_name, "name", "a text of 129 bytes"},
      {"/name", "my ops", "name", "\"my ops\""},
      {"/name", "../x", "name", "\"../x\""},
      {"/name", 7, "name", "7"},
      {"/version", "", "version", "\"\""},
      {"/version", "1\n2", "version", "\"1\n2\""},
      {"/namespace", "1a", "namespace", "\"1a\""},
      {"/namespace", "a-b", "namespace", "\"a-b\""},
      {"/namespace", "", "namespace", "\"\""},
      {"/set", "a b", "set", "\"a b\""},
      {"/release", "", "release", "\"\""},
      {"/defines", "f() -> ()", "defines", "\"f() -> ()\""},
      {"/defines/0", "f(Tensor self) -> Tensor", "defines[0]", "\"f(Tensor self) -> Tensor\""},
      {"/defines/0", "myops::f", "defines[0]", "\"myops::f\""},
      {"/defines/0", "myops::f(" + long_text + ") -> ()", "defines[0]", "a text of 16401 bytes"},
      {"/libraries", "myops", "libraries", "\"myops\""},
      {"/libraries/0", "a-b", "libraries[0]", "\"a-b\""},
      {"/kernels", Json::array(), "kernels", "an array"},
      {"/kernels/CPU", 1, "kernels.CPU", "1"},
      {"/kernels/C-U", Json::object(), "kernels.C-U", "\"C-U\""},
      {"/kernels/CPU/myops::f.out", "x", "kernels.CPU.myops::f.out", "\"x\""},
      {"/kernels/CPU/f", Json::object(), "kernels.CPU.f", "\"f\""},
      {"/kernels/CPU/myops::f.", Json::object(), "kernels.CPU.myops::f.", "\"myops::f.\""},
      {"/kernels/CPU/myops::f.out/cpp", 1, "kernels.CPU.myops::f.out.cpp", "1"},
      {"/kernels/CPU/myops::f.out/schema", long_text, "kernels.CPU.myops::f.out.schema", "a text of 16385 bytes"},
      {"/fallbacks/0", "a b", "fallbacks[0]", "\"a b\""},
      {"/torch", "2.15", "torch", "\"2.15\""},
      {"/torch/version", "x", "torch.version", "\"x\""},
      {"/torch/version", "12345678901.0", "torch.version", "\"12345678901.0\""},
      {"/torch/git", "a b", "torch.git", "\"a b\""},
      {"/torch/abi", "stable", "torch.abi", "\"stable\""},
      {"/torch/abi", "stable>=x", "torch.abi", "\"stable>=x\""},
      {"/torch/abi", "", "torch.abi", "\"\""},
      {"/torch/cuda", "13.2a", "torch.cuda", "\"13.2a\""},
      {"/torch/cxx11_abi", "1", "torch.cxx11_abi", "\"1\""},
      {"/torch/build_ids", 1, "torch.build_ids", "1"},
      {"/torch/build_ids/libc10.so", "XY", "torch.build_ids.libc10.so", "\"XY\""},
      {"/torch/build_ids/a b", "0f", "torch.build_ids.a b", "\"a b\""},
      {"/cpu/arch", "", "cpu.arch", "\"\""},
      {"/cpu/level", "x86 64", "cpu.level", "\"x86 64\""},
      {"/cuda", "13.0", "cuda", "\"13.0\""},
      {"/cuda/runtime", "new", "cuda.runtime", "\"new\""},
      {"/cuda/sm/0", "sm_75", "cuda.sm[0]", "\"sm_75\""},
      {"/cuda/sm/0", "7", "cuda.sm[0]", "\"7\""},
      {"/cuda/ptx/0", "120b", "cuda.ptx[0]", "\"120b\""},
      {"/cuda/parts/1/sm/0", "120b", "cuda.parts.sm[0]", "\"120b\""},
      {"/format", "1", "format", "\"1\""},
      {"/format", 0, "format", "0"},
      {"/format", -1, "format", "-1"},
      {"/format", 1.5, "format", "a number"},
  };
  for (const Damage& damage : kDamages) {
    EXPECT_THAT(fault_with(damage.pointer, damage.value),
                IsReasonAbout(damage.subject, Code::kManifestDamaged, _, damage.found));
  }
}

TEST(ManifestParse, SaysWhatWouldHaveBeenValid) {
  EXPECT_THAT(fault_with("/torch/abi", "loose"),
              IsReason(Code::kManifestDamaged, "\"exact\", or \"stable>=MAJOR.MINOR\""));
  EXPECT_THAT(fault_with("/name", ""), IsReason(Code::kManifestDamaged, "1 to 128 letters, digits, '_', '.' or '-'"));
}

TEST(ManifestParse, KeepsFieldsThatItDoesNotKnowAtAnyDepth) {
  Json json = valid();
  json["licence"] = "BSD";
  json["torch"]["flavour"] = {{"nightly", true}};
  json["kernels"]["CPU"]["myops::f.out"]["cost"] = 3;
  const auto manifest = parse_manifest(json.dump());
  ASSERT_TRUE(manifest);
  EXPECT_EQ(Json::parse(manifest->unknown),
            Json::parse(R"({"kernels": {"CPU": {"myops::f.out": {"cost": 3}}}, "torch": {"flavour": {"nightly": true}},
                            "licence": "BSD"})"));
}

// In any order: `parts` before what they are parts of, the format last.
TEST(ManifestParse, TakesFieldsInAnyOrder) {
  const Json json = valid();
  Json turned = Json::object();
  for (auto member = json.rbegin(); member != json.rend(); ++member) turned[member.key()] = *member;
  Json cuda = Json::object();
  for (auto member = json["cuda"].rbegin(); member != json["cuda"].rend(); ++member) cuda[member.key()] = *member;
  turned["cuda"] = cuda;
  const auto manifest = parse_manifest(turned.dump()), straight = parse_manifest(json.dump());
  ASSERT_TRUE(manifest && straight);
  EXPECT_EQ(to_json_text(*manifest), to_json_text(*straight));
  EXPECT_THAT(parse_manifest(R"({"name": 1, "format": 2})").error(), IsReason(Code::kManifestNewer, "1", "2"));
}

// What is wrong within a value of the wrong kind, or of an unknown field, is no further fault.
TEST(ManifestParse, PassesOverWhatIsInAValueThatItCannotTake) {
  const Json deep = Json::parse(R"([{"name": 1, "kernels": [[{"CPU": []}]]}, [], {}])");
  EXPECT_THAT(fault_with("/name", deep), IsReasonAbout("name", Code::kManifestDamaged, _, "an array"));
  EXPECT_THAT(fault_with("/torch", deep), IsReasonAbout("torch", Code::kManifestDamaged, _, "an array"));
  EXPECT_THAT(fault_with("/defines", deep[0]), IsReasonAbout("defines", Code::kManifestDamaged, _, "an object"));
  EXPECT_THAT(fault_with("/defines", deep), IsReasonAbout("defines[0]", Code::kManifestDamaged, _, "an object"));
  EXPECT_THAT(fault_with("/cuda/parts/0", deep), IsReasonAbout("cuda.parts", Code::kManifestDamaged, _, "an array"));
  EXPECT_THAT(fault_with("/cuda/parts/0", 3), IsReasonAbout("cuda.parts", Code::kManifestDamaged, _, "3"));
  Json json = valid();
  json["new"] = deep;
  json["torch"]["new"] = deep;
  const auto manifest = parse_manifest(json.dump());
  ASSERT_TRUE(manifest) << to_text(manifest.error());
  EXPECT_EQ(Json::parse(manifest->unknown), (Json{{"torch", {{"new", deep}}}, {"new", deep}}));
}

TEST(ManifestParse, RefusesAFieldThatStandsTwice) {
  const std::string text = valid().dump();
  EXPECT_THAT(parse_manifest("{\"name\": \"other\", " + text.substr(1)).error(),
              IsReasonAbout("JSON", Code::kManifestDamaged, _, "the key \"name\" twice in one object"));
}

TEST(ManifestParse, SurvivesEveryTruncationAndEveryChangedByte) {
  const std::string text = valid().dump();
  for (std::size_t length = 1; length < text.size(); ++length) {
    EXPECT_THAT(parse_manifest(text.substr(0, length)).error(), IsReasonAbout("JSON", Code::kManifestDamaged));
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '"', '{', '\xFF', '9'}) {
      std::string changed = text;
      changed[at] = byte;
      const auto manifest = parse_manifest(changed);
      if (manifest) continue;
      EXPECT_THAT(manifest.error().code, AnyOf(Code::kManifestDamaged, Code::kManifestNewer));
      EXPECT_THAT(to_text(manifest.error()), HasSubstr("its manifest"));
    }
  }
}

}  // namespace
}  // namespace myops::rules
