// From what was measured to the manifest, by values alone.
#include <gmock/gmock.h>

#include "loader/system/stamp_manifest.h"

namespace myops::system {
namespace {

// Everything that make_manifest() is given, to be changed by a test.
struct Given {
  StampOptions options;
  elf::ElfFacts elf;
  elf::DeviceCode device_code;
  Registrations registrations;
  rules::TorchFacts torch;
  std::optional<rules::Manifest> base;

  Given() {
    options.file = "/somewhere/libmyops_tiny.so";
    elf.bits = 64;
    elf.machine = 62;  // EM_X86_64
    registrations.defines = {"tiny::f() -> ()"};
    registrations.schemas = registrations.defines;
    torch.version = "2.15.0";
    torch.git = "abc";
    torch.cuda = "13.2";
    torch.cxx11_abi = "new";
    torch.build_ids = {{"libc10.so", "01"}};
  }
  Result<rules::Manifest> make() const {
    return make_manifest({options, elf, device_code, registrations, torch, base});
  }
};

rules::Manifest with_release(const std::string& release) {
  rules::Manifest manifest;
  manifest.release = release;
  return manifest;
}

TEST(MakeManifest, FillsInWhatWasNotSaid) {
  Given given;
  const auto manifest = given.make();
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->name, "myops_tiny");
  EXPECT_EQ(manifest->version, "0");
  EXPECT_EQ(manifest->op_namespace, "tiny");
  EXPECT_EQ(manifest->set, "tiny");
  EXPECT_EQ(manifest->release, "0+torch2.15+" + rules::schemas_hash({"tiny::f() -> ()"}));
  EXPECT_EQ(manifest->cpu.arch, "x86_64");
  EXPECT_EQ(manifest->cpu.level, "x86-64");
  EXPECT_EQ(manifest->torch.version, "2.15.0");
  EXPECT_EQ(manifest->torch.git, "abc");
  EXPECT_EQ(manifest->torch.cuda, "13.2");
  EXPECT_EQ(manifest->torch.abi, "exact");
  EXPECT_EQ(manifest->torch.cxx11_abi, "new");
  EXPECT_EQ(manifest->torch.build_ids.at("libc10.so"), "01");
  EXPECT_FALSE(manifest->cuda.has_value());
}

TEST(MakeManifest, TakesWhatWasSaid) {
  Given given;
  given.options.name = "other";
  given.options.version = "1.2";
  given.registrations.defines.push_back("ns::g() -> ()");
  given.options.op_namespace = "ns";
  given.options.set = "pair";
  given.options.level = "x86-64-v3";
  const auto manifest = given.make();
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->name, "other");
  EXPECT_EQ(manifest->version, "1.2");
  EXPECT_EQ(manifest->op_namespace, "ns");
  EXPECT_EQ(manifest->set, "pair");
  EXPECT_EQ(manifest->cpu.level, "x86-64-v3");
}

TEST(MakeManifest, ReadsTheLevelThatTheFileStates) {
  Given given;
  given.elf.isa_needed = 1U << 3;  // GNU_PROPERTY_X86_ISA_1_V4
  EXPECT_EQ(given.make()->cpu.level, "x86-64-v4");
}

TEST(MakeManifest, AsksForTheNamespaceWhereThereAreSeveralOrNone) {
  Given given;
  given.registrations.kernels["CPU"]["aten::add"] = {};
  const auto several = given.make();
  ASSERT_TRUE(several.has_error());
  EXPECT_EQ(several.error().code, Code::kBadOption);
  EXPECT_EQ(several.error().expected, "operators in one namespace, or the namespace named");
  EXPECT_EQ(several.error().found, "operators in aten tiny");
  given.registrations = {};
  EXPECT_EQ(given.make().error().found, "no operators");
  given.options.op_namespace = "named";
  EXPECT_EQ(given.make()->op_namespace, "named");
}

TEST(ReleaseText, FollowsTheLibraryThatDefinesTheOperators) {
  EXPECT_EQ(release_text("9.9", "2.15", {"x"}, with_release("0.1.0+torch2.15+0123456789ab")),
            "0.1.0+torch2.15+0123456789ab");
}

TEST(ReleaseText, NamesItsOwnTorchWhereTheRegistrationsComeFromAnotherBuild) {
  EXPECT_EQ(release_text("", "2.11", {}, with_release("0.1.0+torch2.15+0123456789ab")), "0.1.0+torch2.11+0123456789ab");
}

TEST(ReleaseText, LeavesAReleaseOfAnotherFormAlone) {
  EXPECT_EQ(release_text("1", "2.15", {}, with_release("spring")), "spring");
  EXPECT_EQ(release_text("1", "2.15", {}, with_release("spring+torch2.14")), "spring+torch2.14");
  EXPECT_EQ(release_text("1", "2.15", {}, with_release("")), "");
}

std::string abi_of(const std::vector<std::string>& imports) {
  elf::ElfFacts facts;
  for (const auto& name : imports) {
    elf::Symbol symbol;
    symbol.name = name;
    facts.imports.push_back(symbol);
  }
  return torch_abi(facts, "2.15");
}

TEST(TorchAbi, IsExactWhereACppSymbolOfTorchIsUsed) {
  EXPECT_EQ(abi_of({"_ZN5torch7LibraryD1Ev"}), "exact");
  EXPECT_EQ(abi_of({"aoti_torch_empty", "_ZNK3c1010TensorImpl3dimEv"}), "exact");
  EXPECT_EQ(abi_of({"aoti_torch_empty", "_ZTIN3c105ErrorE"}), "exact");
  EXPECT_EQ(abi_of({"aoti_torch_empty", "_ZNSt6vectorIN2at6TensorESaIS1_EED1Ev"}), "exact");
}

TEST(TorchAbi, IsStableWhereOnlyTheShimIsUsed) {
  EXPECT_EQ(abi_of({"_ZNSt13runtime_errorC1EPKc", "aoti_torch_library_init_impl", "malloc"}), "stable>=2.15");
  EXPECT_EQ(abi_of({"torch_call_dispatcher"}), "stable>=2.15");
}

TEST(TorchAbi, IsExactWhereNothingOfTorchIsUsed) {
  EXPECT_EQ(abi_of({}), "exact");
  EXPECT_EQ(abi_of({"malloc", "_ZSt9terminatev"}), "exact");
}

}  // namespace
}  // namespace myops::system
