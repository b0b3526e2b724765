// Plugins stamped for real, measured in a child process, and read back.
#include <cstdlib>

#include "tests/loader/bridge/stamping.h"

namespace myops::system {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Stamp = Stamping;

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

TEST_F(Stamp, WritesThroughALink) {
  fs::copy_file(plugin("tiny_schema"), output("real.so"));
  fs::create_symlink("real.so", output("link.so"));
  auto options = options_for("tiny_schema");
  options.file = output("link.so");
  options.output.clear();
  ASSERT_TRUE(stamp(options).has_value());
  EXPECT_TRUE(fs::is_symlink(output("link.so")));
  EXPECT_EQ(manifest_of(output("real.so")).name, "link");
}

TEST_F(Stamp, SurvivesStrip) {
  ASSERT_TRUE(stamp_with_schema("tiny_kernels").has_value());
  const auto before = facts_of(output("tiny_kernels.so")).manifest;
  ASSERT_EQ(std::system(("strip --strip-all " + output("tiny_kernels.so")).c_str()), 0);
  EXPECT_LT(fs::file_size(output("tiny_kernels.so")), fs::file_size(plugin("tiny_kernels")));
  EXPECT_EQ(facts_of(output("tiny_kernels.so")).manifest, before);
}

TEST_F(Stamp, RefusesAPluginThatRegistersNothing) {
  auto options = options_for("tiny_nothing");
  options.op_namespace = "tiny";
  const Reason reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kKernelNotRegistered);
  EXPECT_EQ(reason.subject, plugin("tiny_nothing"));
  EXPECT_EQ(reason.found, "nothing");
  EXPECT_FALSE(fs::exists(options.output));
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
  EXPECT_THAT(manifest.libraries, ElementsAre("tiny_two")) << "a fragment is no TORCH_LIBRARY block";
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
  EXPECT_EQ(manifest.name, "tiny_kernels") << "a variant of that library";
  EXPECT_EQ(manifest.cpu.level, "x86-64-v4");
  EXPECT_EQ(manifest.version, "1.0");
  EXPECT_EQ(manifest.op_namespace, baseline.op_namespace);
  EXPECT_EQ(manifest.release, baseline.release);
  EXPECT_EQ(manifest.fallbacks, baseline.fallbacks);
  EXPECT_EQ(manifest.keys(), baseline.keys());
  EXPECT_EQ(manifest.kernels.at("CPU").at("tiny::keep").registered,
            baseline.kernels.at("CPU").at("tiny::keep").registered);
  options.name = "another";
  ASSERT_TRUE(stamp(options).has_value());
  EXPECT_EQ(manifest_of(options.output).name, "another");
}

}  // namespace
}  // namespace myops::system
