#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <nlohmann/json.hpp>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"
#include "tests/support/json.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using myops::testing::as_json;
using myops::testing::IsReasonAbout;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::ordered_json;

boost::json::object parsed(const std::string& text) { return boost::json::parse(text).as_object(); }

TEST(HostJson, ReadsWhatItWrites) {
  HostFacts host = samples::gpu_host();
  host.page_size = 65536;
  const Json json = as_json(to_json(host));
  const auto read = host_from_json(parsed(json.dump()));
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(as_json(to_json(*read)), json);
  EXPECT_THAT(read->gpus, SizeIs(1));
  EXPECT_EQ(read->gpus[0].name, "H100");
  EXPECT_EQ(read->gpus[0].capability, "9.0");
  EXPECT_THAT(read->cpu_features, ElementsAre("avx2", "fma"));
  EXPECT_EQ(read->driver, "580.65.06");
  EXPECT_EQ(read->page_size, 65536u);
}

TEST(HostJson, NeedsOnlyMachineAndLevel) {
  const auto read = host_from_json(parsed(R"({"arch": "x86_64", "cpu_level": "x86-64-v2"})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cpu_level, "x86-64-v2");
  EXPECT_EQ(read->page_size, 4096u);
  EXPECT_THAT(read->gpus, IsEmpty());
}

TEST(HostJson, MayHaveATorch) {
  const std::string machine = R"("arch": "x86_64", "cpu_level": "x86-64")";
  EXPECT_FALSE(torch_of_host(parsed("{" + machine + "}"))->has_value());
  const auto torch = torch_of_host(parsed("{" + machine + R"(, "torch": {"version": "2.15.0", "cuda": "13.2"}})"));
  ASSERT_TRUE(torch && *torch);
  EXPECT_EQ((*torch)->minor(), "2.15");
  EXPECT_EQ((*torch)->cuda, "13.2");
  EXPECT_EQ((*torch)->lib_dir, "");
  boost::json::object host = parsed("{" + machine + "}");
  host["torch"] = to_host_json(samples::torch());
  EXPECT_EQ((*torch_of_host(host))->git, samples::torch().git);
  for (const char* wrong :
       {"3", "{}", R"({"version": ""})", R"({"version": "x"})", R"({"version": "2.15", "cuda": 13})"}) {
    const auto read = torch_of_host(parsed("{" + machine + R"(, "torch": )" + wrong + "}"));
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().code, Code::kBadOption);
  }
}

TEST(HostJson, TellsMembersThatNobodyKnows) {
  EXPECT_THAT(unknown_of_host(parsed(R"({"arch": "a", "cpu_level": "b", "gpu": [], "text": "…"})")),
              ElementsAre("gpu"));
}

TEST(HostJson, NamesTheFieldThatIsWrong) {
  struct Row {
    const char *json, *subject, *found;
  };
  for (const Row& row : {
           Row{R"({"cpu_level": "x86-64"})", "host.arch", "nothing"},
           Row{R"({"arch": "x86_64"})", "host.cpu_level", "nothing"},
           Row{R"({"arch": 1, "cpu_level": "x86-64"})", "host.arch", "1"},
           Row{R"({"arch": "x86_64", "cpu_level": "x86-65-v9"})", "host.cpu_level", "\"x86-65-v9\""},
           Row{R"({"arch": "a", "cpu_level": "b", "gpus": 7})", "host.gpus", "7"},
           Row{R"({"arch": "a", "cpu_level": "b", "gpus": ["H100"]})", "host.gpus[0]", "\"H100\""},
           Row{R"({"arch": "a", "cpu_level": "b", "gpus": [{"name": 1}]})", "host.gpus[0].name", "1"},
           Row{R"({"arch": "a", "cpu_level": "b", "cpu_features": [1]})", "host.cpu_features[0]", "1"},
           Row{R"({"arch": "a", "cpu_level": "b", "page_size": 0})", "host.page_size", "0"},
           Row{R"({"arch": "a", "cpu_level": "b", "driver": false})", "host.driver", "a boolean"},
       }) {
    const auto host = host_from_json(parsed(row.json));
    ASSERT_FALSE(host) << row.json;
    EXPECT_THAT(host.error(), IsReasonAbout(row.subject, Code::kBadOption, ::testing::_, row.found));
  }
}

}  // namespace
}  // namespace myops::rules
