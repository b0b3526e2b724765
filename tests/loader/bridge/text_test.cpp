// The JSON that goes to and comes from the bridge and the measuring child.
#include <gmock/gmock.h>

#include "loader/system/bridge_text.h"
#include "loader/system/stamp_exchange.h"

namespace myops::system {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(BridgeText, AsksInTheWordsOfTheAbi) {
  SnapshotRequest request;
  EXPECT_EQ(to_text(request), R"({"namespaces":[],"pairs":[],"scope":"all","signatures":true})");
  request.scope = SnapshotRequest::Scope::kNamespaces;
  request.namespaces = {"ns"};
  EXPECT_EQ(to_text(request), R"({"namespaces":["ns"],"pairs":[],"scope":"namespaces","signatures":true})");
  request = {};
  request.scope = SnapshotRequest::Scope::kPairs;
  request.pairs = {{"ns::f", "CPU"}, {"ns::f", "Meta"}};
  request.signatures = false;
  EXPECT_EQ(to_text(request),
            R"({"namespaces":[],"pairs":[["ns::f","CPU"],["ns::f","Meta"]],"scope":"pairs","signatures":false})");
}

TEST(BridgeText, ReadsASnapshot) {
  const std::string text =
      R"x({"schemas": {"ns::f": "ns::f() -> ()"}, "defined_at": {"ns::f": "here"}, "cpp": {"ns::f": "void ()"}, )x"
      R"x("kernels": {"ns::f": {"CPU": "text", "Meta": "other"}}, "cpp_symint": {}, )x"
      R"x("dangling": ["ns::g"], "fallbacks": ["Python"], "libraries": {"ns": "registered at a.cpp:1"}})x";
  const auto state = parse_snapshot(text, "b.so");
  ASSERT_TRUE(state.has_value());
  EXPECT_THAT(state->schemas, ElementsAre(Pair("ns::f", "ns::f() -> ()")));
  EXPECT_THAT(state->defined_at, ElementsAre(Pair("ns::f", "here")));
  EXPECT_THAT(state->kernels, ElementsAre(Pair(Pair("ns::f", "CPU"), "text"), Pair(Pair("ns::f", "Meta"), "other")));
  EXPECT_THAT(state->cpp, ElementsAre(Pair("ns::f", "void ()")));
  EXPECT_TRUE(state->cpp_symint.empty());
  EXPECT_THAT(state->dangling, ElementsAre("ns::g"));
  EXPECT_THAT(state->fallbacks, ElementsAre("Python"));
  EXPECT_THAT(state->libraries, ElementsAre(Pair("ns", "registered at a.cpp:1")));
}

TEST(BridgeText, PassesOnWhatTheBridgeComplainsOf) {
  const auto state = parse_snapshot(R"({"error": "unknown scope"})", "b.so");
  ASSERT_TRUE(state.has_error());
  EXPECT_EQ(state.error().code, Code::kOpenFailed);
  EXPECT_EQ(state.error().subject, "b.so");
  EXPECT_EQ(state.error().found, "unknown scope");
}

TEST(BridgeText, TakesNothingForASnapshotThatIsNone) {
  for (const std::string text : {"", "[]", "{}", "null", "{\"schemas\": []}", "{\"schemas\"", "\xff"}) {
    const auto state = parse_snapshot(text, "b.so");
    ASSERT_TRUE(state.has_error()) << text;
    EXPECT_EQ(state.error().code, Code::kOpenFailed) << text;
    EXPECT_THAT(state.error().found, HasSubstr("json.exception")) << text;
  }
}

TEST(StampExchange, CarriesTheOptions) {
  const auto options = parse_measure_options(to_text(MeasureOptions{"/a \"b\".so", "", "/t"}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->file, "/a \"b\".so");
  EXPECT_EQ(options->schema, "");
  EXPECT_EQ(options->torch_dir, "/t");
}

TEST(StampExchange, RefusesOptionsThatAreNone) {
  for (const std::string text : {"", "{}", "[]", "{\"file\": 1, \"schema\": \"\", \"torch_dir\": \"\"}"}) {
    const auto options = parse_measure_options(text);
    ASSERT_TRUE(options.has_error()) << text;
    EXPECT_EQ(options.error().code, Code::kBadOption) << text;
    EXPECT_EQ(options.error().expected, "a JSON object with file, schema and torch_dir") << text;
  }
}

TEST(StampExchange, CarriesWhatWasMeasured) {
  Registrations sent;
  sent.defines = {"ns::f() -> ()"};
  sent.kernels["CPU"]["ns::f"] = {.schema = "f() -> ()", .cpp = "void ()", .cpp_symint = "", .registered = "at \xff"};
  sent.fallbacks = {"PrivateUse1"};
  sent.libraries = {"ns"};
  sent.dangling = {"ns::g"};
  sent.schemas = {"ns::f() -> ()"};
  const auto got = parse_measured(to_text(Result<Registrations>(sent)), "p.so");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->defines, sent.defines);
  EXPECT_EQ(got->kernels.at("CPU").at("ns::f").cpp, "void ()");
  EXPECT_EQ(got->kernels.at("CPU").at("ns::f").registered, "at \xEF\xBF\xBD");
  EXPECT_EQ(got->fallbacks, sent.fallbacks);
  EXPECT_EQ(got->libraries, sent.libraries);
  EXPECT_EQ(got->dangling, sent.dangling);
  EXPECT_EQ(got->schemas, sent.schemas);
}

TEST(StampExchange, CarriesAReason) {
  const Reason sent{Code::kDependencyMissing, "s", "e", "f", "h"};
  const auto got = parse_measured(to_text(Result<Registrations>(sent)), "p.so");
  ASSERT_TRUE(got.has_error());
  EXPECT_EQ(got.error(), sent);
}

TEST(StampExchange, KnowsAChildThatEndedBeforeItAnswered) {
  for (const std::string text : {"", "{}", "hello", "{\"measured\": {}}", "{\"reason\": {}}", "{\"reason\": 1}"}) {
    const auto got = parse_measured(text, "p.so");
    ASSERT_TRUE(got.has_error()) << text;
    EXPECT_EQ(got.error().code, Code::kOpenFailed) << text;
    EXPECT_EQ(got.error().subject, "p.so") << text;
    EXPECT_EQ(got.error().found, "the process ended by itself before the measurement was done") << text;
  }
}

}  // namespace
}  // namespace myops::system
