// Plugins stamped for real, measured in a child process, and read back.
#include "loader/system/stamp.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "loader/elf/elf_facts.h"
#include "loader/rules/manifest.h"

namespace myops::system {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::string plugin(const std::string& name) { return std::string(TINY_FOLDER) + "/lib" + name + ".so"; }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

elf::ElfFacts facts_of(const std::string& path) {
  const auto content = read(path);
  return elf::parse_elf(elf::SpanBytes(std::as_bytes(std::span(content))), elf::Depth::kIdentity).value();
}

rules::Manifest manifest_of(const std::string& path) {
  return rules::parse_manifest(facts_of(path).manifest.value()).value();
}

class Stamp : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "myops-stamp-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string output(const std::string& name) const { return (folder_ / name).string(); }

  StampOptions options_for(const std::string& name) const {
    StampOptions options;
    options.file = plugin(name);
    options.output = output(name + ".so");
    options.torch_dir = TORCH_FOLDER;
    options.version = "1.0";
    options.measure_command = {MEASURE_CHILD};
    return options;
  }
  // Stamps the schema library, and a plugin with it.
  std::string stamped_schema() const {
    const auto result = stamp(options_for("tiny_schema"));
    EXPECT_TRUE(result.has_value()) << (result ? "" : to_text(result.error()));
    return output("tiny_schema.so");
  }
  Result<StampResult> stamp_with_schema(const std::string& name) const {
    auto options = options_for(name);
    options.schema = stamped_schema();
    return stamp(options);
  }
  Reason refusal(const StampOptions& options) const {
    const auto result = stamp(options);
    EXPECT_TRUE(result.has_error());
    EXPECT_FALSE(fs::exists(options.output));
    return result.error();
  }

  fs::path folder_;
};

TEST_F(Stamp, WritesWhatASchemaLibraryDefines) {
  const auto manifest = manifest_of(stamped_schema());
  EXPECT_EQ(manifest.name, "tiny_schema");
  EXPECT_EQ(manifest.op_namespace, "tiny");
  EXPECT_THAT(manifest.defines, ElementsAre("tiny::keep(Tensor self, float factor=9.9999999999999995e-07) -> Tensor",
                                            "tiny::keep.sizes(Tensor self, SymInt[] sizes) -> Tensor"));
  EXPECT_THAT(manifest.kernels, IsEmpty());
  EXPECT_THAT(manifest.release, MatchesRegex("1\\.0\\+torch[0-9.]+\\+[0-9a-f]{12}"));
  EXPECT_EQ(manifest.release.substr(manifest.release.rfind('+') + 1), rules::schemas_hash(manifest.defines));
  EXPECT_EQ(manifest.torch.abi, "exact");
  EXPECT_THAT(manifest.torch.build_ids.at("libtorch_cpu.so"), MatchesRegex("[0-9a-f]{40}"));
}

TEST_F(Stamp, WritesEveryFormOfKernelAndTheFallback) {
  const auto result = stamp_with_schema("tiny_kernels");
  ASSERT_TRUE(result.has_value()) << to_text(result.error());
  EXPECT_THAT(result->warnings, IsEmpty());
  const auto manifest = manifest_of(output("tiny_kernels.so"));
  EXPECT_EQ(rules::to_json_text(manifest), rules::to_json_text(result->manifest));
  EXPECT_EQ(result->bytes, rules::to_json_text(manifest).size());
  EXPECT_THAT(manifest.defines, IsEmpty());
  EXPECT_THAT(manifest.fallbacks, ElementsAre("PrivateUse2"));
  EXPECT_THAT(manifest.kernels, ElementsAre(Key("AutocastCPU"), Key("Autograd"), Key("CPU"), Key("Meta")));
  const auto kernel = [&](const char* key, const char* op) { return manifest.kernels.at(key).at(op); };
  EXPECT_EQ(kernel("CPU", "tiny::keep").schema, "keep(Tensor self, float factor=9.9999999999999995e-07) -> Tensor");
  EXPECT_EQ(kernel("CPU", "tiny::keep").cpp, "at::Tensor (at::Tensor const&, double)");
  EXPECT_EQ(kernel("CPU", "tiny::keep").cpp_symint, "");
  EXPECT_EQ(kernel("CPU", "tiny::keep.sizes").cpp, "");
  EXPECT_EQ(kernel("CPU", "tiny::keep.sizes").cpp_symint, "at::Tensor (at::Tensor const&, c10::ArrayRef<c10::SymInt>)");
  EXPECT_EQ(kernel("Autograd", "tiny::keep").cpp, "at::Tensor (at::Tensor const&, double)");
  EXPECT_EQ(kernel("AutocastCPU", "tiny::keep").cpp, "");
  EXPECT_THAT(kernel("AutocastCPU", "tiny::keep").registered, HasSubstr("fallthrough"));
  EXPECT_EQ(kernel("Meta", "tiny::keep").cpp, "");
  EXPECT_EQ(manifest.release, manifest_of(output("tiny_schema.so")).release);
}

TEST_F(Stamp, NamesNoPathOfThisMachine) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  const auto manifest = manifest_of(output("tiny_kernels.so"));
  EXPECT_THAT(manifest.kernels.at("CPU").at("tiny::keep").registered,
              StartsWith("registered at ./tests/loader/bridge/tiny.cpp:"));
  EXPECT_THAT(rules::to_json_text(manifest), Not(HasSubstr(SOURCE_FOLDER)));
  EXPECT_THAT(rules::to_json_text(manifest), Not(HasSubstr(TORCH_FOLDER)));
}

TEST_F(Stamp, ChangesNothingButTheNote) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  const auto facts = facts_of(plugin("tiny_kernels"));
  auto before = read(plugin("tiny_kernels"));
  auto after = read(output("tiny_kernels.so"));
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(facts.build_id, facts_of(output("tiny_kernels.so")).build_id);
  before.replace(facts.manifest_offset, facts.manifest_capacity, "");
  after.replace(facts.manifest_offset, facts.manifest_capacity, "");
  EXPECT_EQ(before, after);
  EXPECT_EQ(fs::status(plugin("tiny_kernels")).permissions(), fs::status(output("tiny_kernels.so")).permissions());
}

TEST_F(Stamp, GivesTheSameBytesEachTimeAndWhenStampedAgain) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  const auto first = read(output("tiny_kernels.so"));
  auto again = options_for("tiny_kernels");
  again.schema = output("tiny_schema.so");
  again.output = output("again.so");
  ASSERT_TRUE(stamp(again).has_value());
  EXPECT_EQ(read(again.output), first);
  again.file = again.output;
  again.output.clear();
  again.name = "tiny_kernels";
  ASSERT_TRUE(stamp(again).has_value());
  EXPECT_EQ(read(again.file), first);
}

TEST_F(Stamp, SurvivesStrip) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  const auto before = facts_of(output("tiny_kernels.so")).manifest;
  ASSERT_EQ(std::system(("strip --strip-all " + output("tiny_kernels.so")).c_str()), 0);
  EXPECT_LT(fs::file_size(output("tiny_kernels.so")), fs::file_size(plugin("tiny_kernels")));
  EXPECT_EQ(facts_of(output("tiny_kernels.so")).manifest, before);
}

TEST_F(Stamp, RefusesAManifestLargerThanItsNote) {
  auto options = options_for("tiny_cramped");
  options.schema = stamped_schema();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kBadOption);
  EXPECT_EQ(reason.subject, plugin("tiny_cramped"));
  EXPECT_THAT(reason.expected, MatchesRegex("[0-9]+ bytes for the manifest"));
  EXPECT_EQ(reason.found, "256 bytes reserved");
  EXPECT_THAT(reason.hint, HasSubstr("RESERVE"));
}

TEST_F(Stamp, NamesEveryOperatorThatNothingDefines) {
  const auto alone = refusal(options_for("tiny_misspelt"));
  EXPECT_EQ(alone.code, Code::kSchemaMissing);
  EXPECT_EQ(alone.found, "none of tiny::keeep, tiny::keep");
  auto options = options_for("tiny_misspelt");
  options.schema = stamped_schema();
  EXPECT_EQ(refusal(options).found, "none of tiny::keeep");
}

TEST_F(Stamp, TellsWhyThePluginKilledTheChild) {
  auto options = options_for("tiny_schema_again");
  options.schema = stamped_schema();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kOpenFailed);
  EXPECT_EQ(reason.subject, plugin("tiny_schema_again"));
  EXPECT_THAT(reason.found, StartsWith("killed by signal 6 (Aborted): Only a single TORCH_LIBRARY can be used"));
  EXPECT_THAT(reason.found, HasSubstr("tiny.cpp"));
  EXPECT_THAT(reason.found, Not(HasSubstr("frame #")));
}

TEST_F(Stamp, KillsAChildThatDoesNotEnd) {
  auto options = options_for("tiny_schema");
  options.measure_command = {"/bin/sh", "-c", "exec sleep 100"};
  options.time_limit = std::chrono::milliseconds(200);
  EXPECT_EQ(refusal(options).found, "killed at the time limit");
}

TEST_F(Stamp, StampsAPluginThatRegistersNothingWithAWarning) {
  auto options = options_for("tiny_nothing");
  options.op_namespace = "tiny";
  const auto result = stamp(options);
  ASSERT_TRUE(result.has_value()) << to_text(result.error());
  EXPECT_THAT(result->warnings,
              ElementsAre(plugin("tiny_nothing") + " registers nothing: no operator, no kernel, no fallback"));
  const auto manifest = manifest_of(options.output);
  EXPECT_TRUE(manifest.defines.empty() && manifest.kernels.empty() && manifest.fallbacks.empty());
}

TEST_F(Stamp, KeepsFullNamesWhereThereAreSeveralNamespaces) {
  auto options = options_for("tiny_two");
  options.schema = stamped_schema();
  EXPECT_EQ(refusal(options).found, "operators in tiny tiny_two");
  options.op_namespace = "tiny";
  const auto result = stamp(options);
  ASSERT_TRUE(result.has_value()) << to_text(result.error());
  const auto manifest = manifest_of(options.output);
  EXPECT_THAT(manifest.defines,
              ElementsAre("tiny::fragment(Tensor self) -> Tensor", "tiny_two::keep(Tensor _0, float _1) -> Tensor _0"));
  EXPECT_THAT(manifest.kernels.at("CompositeImplicitAutograd"), ElementsAre(Key("tiny_two::keep")));
}

TEST_F(Stamp, TakesTheRegistrationsOfAnotherFileWithoutOpeningIt) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  auto options = options_for("tiny_aborts");
  options.version.clear();
  options.from = output("tiny_kernels.so");
  options.level = "x86-64-v4";
  const auto result = stamp(options);
  ASSERT_TRUE(result.has_value()) << to_text(result.error());
  const auto manifest = manifest_of(options.output);
  const auto baseline = manifest_of(options.from);
  EXPECT_EQ(manifest.name, "tiny_aborts");
  EXPECT_EQ(manifest.cpu.level, "x86-64-v4");
  EXPECT_EQ(manifest.version, "1.0");
  EXPECT_EQ(manifest.op_namespace, baseline.op_namespace);
  EXPECT_EQ(manifest.release, baseline.release);
  EXPECT_EQ(manifest.fallbacks, baseline.fallbacks);
  EXPECT_EQ(manifest.keys(), baseline.keys());
  EXPECT_EQ(manifest.kernels.at("CPU").at("tiny::keep").registered,
            baseline.kernels.at("CPU").at("tiny::keep").registered);
}

TEST_F(Stamp, NeedsAManifestToTakeFrom) {
  auto options = options_for("tiny_aborts");
  options.from = plugin("tiny_kernels");
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kUnstamped);
  EXPECT_EQ(reason.subject, plugin("tiny_kernels"));
}

TEST_F(Stamp, RefusesWhatIsNoPlugin) {
  auto options = options_for("tiny_schema");
  options.file = folder_.string() + "/absent.so";
  EXPECT_EQ(refusal(options).code, Code::kUnreadable);
  std::ofstream(options.file) << "text, not a library, long enough to be read as a header of some kind or other";
  EXPECT_EQ(refusal(options).code, Code::kNotALibrary);
  options.file = TORCH_FOLDER "/libc10.so";
  EXPECT_EQ(refusal(options).code, Code::kForeign);
}

TEST_F(Stamp, RefusesATorchThatIsNotThere) {
  auto options = options_for("tiny_schema");
  options.torch_dir = folder_.string();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kTorchNotFound);
  EXPECT_EQ(reason.subject, folder_.string());
}

// A measuring child in an installation of its own, with a bridge that a test damages.
class StampWithBridge : public Stamp {
 protected:
  StampOptions options_with_bridge(const std::string& content) const {
    const auto bridge = folder_ / "lib/myops/bridge" / fs::path(BRIDGE).parent_path().filename();
    fs::create_directories(bridge);
    fs::create_directories(folder_ / "bin");
    fs::copy_file(MEASURE_CHILD, folder_ / "bin/child");
    if (!content.empty()) std::ofstream(bridge / "libmyops_bridge.so", std::ios::binary) << content;
    auto options = options_for("tiny_schema");
    options.measure_command = {folder_ / "bin/child"};
    return options;
  }
  std::string bridge_path() const {
    return folder_ / "lib/myops/bridge" / fs::path(BRIDGE).parent_path().filename() / "libmyops_bridge.so";
  }
};

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), by);
}

TEST_F(StampWithBridge, WorksWithTheBridgeAsItIs) { EXPECT_TRUE(stamp(options_with_bridge(read(BRIDGE))).has_value()); }

TEST_F(StampWithBridge, NamesTheFoldersWithoutABridge) {
  const auto reason = refusal(options_with_bridge(""));
  EXPECT_EQ(reason.code, Code::kDependencyMissing);
  EXPECT_EQ(reason.subject, "libmyops_bridge.so");
  EXPECT_THAT(reason.expected, StartsWith("a bridge for torch 2."));
  EXPECT_THAT(reason.found, HasSubstr((folder_ / "bin/myops/bridge").string()));
  EXPECT_THAT(reason.found, HasSubstr((folder_ / "lib/myops/bridge").string()));
}

TEST_F(StampWithBridge, DoesNotOpenOneThatWasBuiltForAnotherTorch) {
  const auto manifest = manifest_of(BRIDGE);
  auto content = replaced(read(BRIDGE), "\"version\":\"" + manifest.torch.version, "\"version\":\"2.11.0");
  for (const auto& [library, id] : manifest.torch.build_ids)
    content = replaced(content, id, std::string(id.size(), '0'));
  const auto reason = refusal(options_with_bridge(content));
  EXPECT_EQ(reason.code, Code::kTorchVersionMismatch);
  EXPECT_EQ(reason.subject, bridge_path());
  EXPECT_THAT(reason.expected, HasSubstr("2.11"));
  EXPECT_THAT(reason.found, HasSubstr(manifest.torch.version));
}

TEST_F(StampWithBridge, DoesNotOpenOneThatIsDamaged) {
  EXPECT_EQ(refusal(options_with_bridge(read(BRIDGE).substr(0, 20'000))).code, Code::kTruncated);
}

}  // namespace
}  // namespace myops::system
