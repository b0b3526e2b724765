// What is not stamped, and in which words that is said.
#include "tests/loader/bridge/stamping.h"

namespace myops::system {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using StampRefusal = Stamping;

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), by);
}

TEST_F(StampRefusal, RefusesAManifestLargerThanItsNote) {
  auto options = options_for("tiny_cramped");
  options.schema = stamped_schema();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kBadOption);
  EXPECT_EQ(reason.subject, plugin("tiny_cramped"));
  EXPECT_THAT(reason.expected, MatchesRegex("[0-9]+ bytes for the manifest"));
  EXPECT_EQ(reason.found, "256 bytes reserved");
  EXPECT_THAT(reason.hint, HasSubstr("RESERVE"));
}

TEST_F(StampRefusal, NamesEveryOperatorThatNothingDefines) {
  const auto alone = refusal(options_for("tiny_misspelt"));
  EXPECT_EQ(alone.code, Code::kSchemaMissing);
  EXPECT_EQ(alone.subject, "tiny::keeep, tiny::keep");
  EXPECT_EQ(alone.found, "no schema library was named");
  auto options = options_for("tiny_misspelt");
  options.schema = stamped_schema();
  EXPECT_EQ(refusal(options).subject, "tiny::keeep");
  EXPECT_EQ(refusal(options).found, "not " + options.schema + " either");
}

TEST_F(StampRefusal, TellsWhyThePluginKilledTheChild) {
  auto options = options_for("tiny_schema_again");
  options.schema = stamped_schema();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kOpenFailed);
  EXPECT_EQ(reason.subject, plugin("tiny_schema_again"));
  EXPECT_THAT(reason.found, StartsWith("killed by signal 6 (Aborted): Only a single TORCH_LIBRARY can be used"));
  EXPECT_THAT(reason.found, HasSubstr("tiny.cpp"));
  EXPECT_THAT(reason.found, Not(HasSubstr("frame #")));
}

TEST_F(StampRefusal, KillsAChildThatDoesNotEnd) {
  auto options = options_for("tiny_schema");
  options.measure_command = {"/bin/sh", "-c", "exec sleep 100"};
  options.time_limit = std::chrono::milliseconds(200);
  EXPECT_EQ(refusal(options).found, "killed at the time limit");
}

TEST_F(StampRefusal, NeedsAManifestToTakeFrom) {
  auto options = options_for("tiny_aborts");
  options.from = plugin("tiny_kernels");
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kUnstamped);
  EXPECT_EQ(reason.subject, plugin("tiny_kernels"));
}

TEST_F(StampRefusal, RefusesWhatIsNoPlugin) {
  auto options = options_for("tiny_schema");
  options.file = folder_.string() + "/absent.so";
  EXPECT_EQ(refusal(options).code, Code::kUnreadable);
  std::ofstream(options.file) << "text, not a library, long enough to be read as a header of some kind or other";
  EXPECT_EQ(refusal(options).code, Code::kNotALibrary);
  EXPECT_EQ(refusal(options).subject, options.file);
  options.file = TORCH_FOLDER "/libc10.so";
  EXPECT_EQ(refusal(options).code, Code::kForeign);
}

// Up to three files are read: which of them is meant?
TEST_F(StampRefusal, NamesTheFileWhoseHeaderOrManifestIsWrong) {
  auto options = options_for("tiny_kernels");
  options.schema = output("schema.so");
  const auto content = read(stamped_schema());
  std::ofstream(options.schema, std::ios::binary) << content.substr(0, 1000);
  EXPECT_EQ(refusal(options).code, Code::kTruncated);
  EXPECT_THAT(refusal(options).subject, StartsWith(options.schema + ": "));
  std::ofstream(options.schema, std::ios::binary)
      << replaced(content, "\"name\":\"tiny_schema\"", "\"name\":\"tiny*schema\"");
  EXPECT_EQ(refusal(options).code, Code::kManifestDamaged);
  EXPECT_EQ(refusal(options).subject, options.schema + ": name");
}

TEST_F(StampRefusal, WritesNothingThatNoLoadWouldTake) {
  auto options = options_for("tiny_schema");
  options.name = "no name";
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kManifestDamaged);
  EXPECT_EQ(reason.subject, options.file + ": name");
  EXPECT_EQ(reason.found, "\"no name\"");
}

TEST_F(StampRefusal, RefusesATorchThatIsNotThere) {
  auto options = options_for("tiny_schema");
  options.torch_dir = folder_.string();
  const auto reason = refusal(options);
  EXPECT_EQ(reason.code, Code::kTorchNotFound);
  EXPECT_EQ(reason.subject, folder_.string());
}

// A measuring child in an installation of its own, with a bridge that a test damages.
class StampWithBridge : public Stamping {
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

TEST_F(StampWithBridge, WorksWithTheBridgeAsItIs) { EXPECT_TRUE(stamp(options_with_bridge(read(BRIDGE))).has_value()); }

TEST_F(StampWithBridge, NamesTheFoldersWithoutABridge) {
  const auto reason = refusal(options_with_bridge(""));
  EXPECT_EQ(reason.code, Code::kDependencyMissing);
  EXPECT_EQ(reason.subject, "libmyops_bridge.so");
  EXPECT_THAT(reason.hint, StartsWith("install a myops that is built for torch 2."));
  EXPECT_EQ(reason.found.find("none"), std::string::npos);
  EXPECT_THAT(reason.found, HasSubstr((folder_ / "bin/myops/bridge").string()));
  EXPECT_THAT(reason.found, HasSubstr((folder_ / "lib/myops/bridge").string()));
}

TEST_F(StampWithBridge, DoesNotOpenOneThatWasBuiltForAnotherTorch) {
  const auto manifest = manifest_of(BRIDGE);
  auto content = replaced(read(BRIDGE), "\"version\":\"" + manifest.torch.version,
                          "\"version\":\"9.99.0");  // as long as the other
  for (const auto& [library, id] : manifest.torch.build_ids)
    content = replaced(content, id, std::string(id.size(), '0'));
  const auto reason = refusal(options_with_bridge(content));
  EXPECT_EQ(reason.code, Code::kTorchVersionMismatch);
  EXPECT_EQ(reason.subject, bridge_path() + ": torch");
  EXPECT_THAT(reason.expected, HasSubstr("9.99"));
  EXPECT_THAT(reason.found, HasSubstr(manifest.torch.version));
}

TEST_F(StampWithBridge, DoesNotOpenOneThatIsDamaged) {
  EXPECT_EQ(refusal(options_with_bridge(read(BRIDGE).substr(0, 20'000))).code, Code::kTruncated);
}

}  // namespace
}  // namespace myops::system
