// What goes to and comes from the bridge, and the JSON of the measuring child.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "loader/system/bridge_exchange.h"
#include "loader/system/stamp_exchange.h"

namespace myops::system {
namespace {

using testing::ElementsAre;
using testing::Pair;

// A question as text, "" for a name that is not given.
std::vector<std::string> texts(const std::vector<myops_bridge_question>& questions) {
  std::vector<std::string> texts;
  for (const auto& [ask, name, key] : questions) {
    texts.push_back(std::to_string(ask) + (name ? std::string(" ") + name : "") + (key ? std::string(" ") + key : ""));
  }
  return texts;
}

TEST(BridgeExchange, AsksForAllThatIsNamed) {
  SnapshotRequest request;
  request.namespaces = {"one"};
  request.libraries = {"two", "three"};
  request.operators = {"ns::f.out"};
  request.kernels = {{"ns::f", "CPU"}, {"ns::f", ""}};
  EXPECT_THAT(texts(questions_of(request)),
              ElementsAre("6", "2 one", "5 two", "5 three", "3 ns::f.out", "4 ns::f CPU", "4 ns::f "));
  request = {};
  request.everything = true;
  request.signatures = false;
  EXPECT_THAT(texts(questions_of(request)), ElementsAre("1"));
}

TEST(BridgeExchange, MakesAStateOfWhatIsTold) {
  Told told;
  Told::tell(&told, MYOPS_TOLD_SCHEMA, "ns::f", "", "ns::f() -> ()");
  Told::tell(&told, MYOPS_TOLD_DEFINED_AT, "ns::f", "", "here");
  Told::tell(&told, MYOPS_TOLD_KERNEL, "ns::f", "CPU", "text");
  Told::tell(&told, MYOPS_TOLD_KERNEL, "ns::f", "Meta", "other \xff");
  Told::tell(&told, MYOPS_TOLD_CPP, "ns::f", "", "void ()");
  Told::tell(&told, MYOPS_TOLD_CPP_SYMINT, "ns::h", "", "int ()");
  Told::tell(&told, MYOPS_TOLD_DANGLING, "ns::g", "", "");
  Told::tell(&told, MYOPS_TOLD_FALLBACK, "", "Python", "");
  Told::tell(&told, MYOPS_TOLD_LIBRARY, "ns", "", "registered at a.cpp:1");
  const auto state = told.take("b.so");
  ASSERT_TRUE(state.has_value());
  EXPECT_THAT(state->schemas, ElementsAre(Pair("ns::f", "ns::f() -> ()")));
  EXPECT_THAT(state->defined_at, ElementsAre(Pair("ns::f", "here")));
  EXPECT_THAT(state->kernels,
              ElementsAre(Pair(Pair("ns::f", "CPU"), "text"), Pair(Pair("ns::f", "Meta"), "other \xEF\xBF\xBD")));
  EXPECT_THAT(state->cpp, ElementsAre(Pair("ns::f", "void ()")));
  EXPECT_THAT(state->cpp_symint, ElementsAre(Pair("ns::h", "int ()")));
  EXPECT_THAT(state->dangling, ElementsAre("ns::g"));
  EXPECT_THAT(state->fallbacks, ElementsAre("Python"));
  EXPECT_THAT(state->libraries, ElementsAre(Pair("ns", "registered at a.cpp:1")));
}

TEST(BridgeExchange, PassesOnWhatTheBridgeComplainsOf) {
  Told told;
  Told::tell(&told, MYOPS_TOLD_SCHEMA, "ns::f", "", "ns::f() -> ()");
  Told::tell(&told, MYOPS_TOLD_ERROR, "", "", "unknown question");
  const auto state = told.take("b.so");
  ASSERT_TRUE(state.has_error());
  EXPECT_EQ(state.error().code, Code::kOpenFailed);
  EXPECT_EQ(state.error().subject, "b.so");
  EXPECT_EQ(state.error().found, "unknown question");
}

TEST(BridgeExchange, TakesNoFactThatItDoesNotKnow) {
  Told told;
  Told::tell(&told, 99, "", "", "");
  const auto state = told.take("b.so");
  ASSERT_TRUE(state.has_error());
  EXPECT_EQ(state.error().found, "a fact of the unknown kind 99");
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
