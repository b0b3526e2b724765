#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "loader/rules/manifest.h"
#include "tests/loader/rules/samples.h"

namespace myops::rules {
namespace {

using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

TEST(ManifestWrite, WritesWhatItReads) {
  Manifest manifest = samples::cuda_manifest();
  manifest.torch.build_ids = {{"libc10.so", "0f"}};
  manifest.defines = {samples::kScale};
  manifest.fallbacks = {"PrivateUse1"};
  manifest.cuda->parts = {{{"80", "90"}, {}}, {{"90"}, {"90"}}};
  const std::string text = to_json_text(manifest);
  const auto read = parse_manifest(text);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(to_json_text(*read), text);
  EXPECT_EQ(read->kernels.at("CUDA").at("myops::scale").cpp, samples::kScaleCpp);
  EXPECT_EQ(read->unknown, "");
}

TEST(ManifestWrite, HasItsFieldsInOneOrder) {
  EXPECT_THAT(to_json_text(samples::schema_manifest()), StartsWith(R"({"format":1,"name":"myops_schema","version":)"));
}

TEST(ManifestWrite, GivesEqualBytesForEqualManifests) {
  Manifest one = samples::manifest("a"), other = samples::manifest("a");
  one.kernels["Meta"]["myops::scale"] = samples::scale_record("Meta");
  one.kernels["CPU"]["myops::scale"] = samples::scale_record("CPU");
  other.kernels["CPU"]["myops::scale"] = samples::scale_record("CPU");
  other.kernels["Meta"]["myops::scale"] = samples::scale_record("Meta");
  EXPECT_EQ(to_json_text(one), to_json_text(other));
}

TEST(ManifestWrite, PutsUnknownFieldsBackWhereTheyWere) {
  Json json = Json::parse(to_json_text(samples::cuda_manifest()));
  json["licence"] = "BSD";
  json["torch"]["flavour"] = "nightly";
  json["kernels"]["CUDA"]["myops::scale"]["cost"] = 3;
  const auto read = parse_manifest(json.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(Json::parse(to_json_text(*read)), json);
}

TEST(ManifestWrite, LetsKnownFieldsWinOverUnknownText) {
  Manifest manifest = samples::schema_manifest();
  manifest.unknown = R"({"name": "other", "torch": "x", "more": 1})";
  const Json json = Json::parse(to_json_text(manifest));
  EXPECT_EQ(json["name"], "myops_schema");
  EXPECT_EQ(json["torch"]["version"], "2.15.0");
  EXPECT_EQ(json["more"], 1);
}

TEST(ManifestWrite, LeavesOutUnknownTextThatIsNoObject) {
  Manifest manifest = samples::schema_manifest();
  const std::string text = to_json_text(manifest);
  for (const char* unknown : {"[1]", "{", "7", "null"}) {
    manifest.unknown = unknown;
    EXPECT_EQ(to_json_text(manifest), text);
  }
}

TEST(ManifestWrite, NeverThrowsOnBytesThatAreNoUtf8) {
  Manifest manifest = samples::schema_manifest();
  manifest.version.assign(1, '\xFF');
  EXPECT_EQ(Json::parse(to_json_text(manifest))["version"], "\xEF\xBF\xBD");
}

TEST(SchemasHash, IsTheFnv1aOfTheSortedSchemasAndTheirLineBreaks) {
  EXPECT_EQ(schemas_hash({}), "cbf29ce48422") << "the offset basis";
  EXPECT_EQ(schemas_hash({""}), "af63c74c8601") << "one line break";
}

TEST(SchemasHash, DependsOnTheSchemasAndNotOnTheirOrder) {
  EXPECT_EQ(schemas_hash({"a", "b"}), schemas_hash({"b", "a"}));
  EXPECT_NE(schemas_hash({"a", "b"}), schemas_hash({"ab"}));
  EXPECT_NE(schemas_hash({samples::kScale}), schemas_hash({samples::kBump}));
}

}  // namespace
}  // namespace myops::rules
