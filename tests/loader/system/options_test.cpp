#include "loader/system/options.h"

#include <unistd.h>

#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/scoped_variable.h"

namespace myops::system {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is_reason;
using ::testing::IsEmpty;
using testing::ScopedVariable;

class OptionsTest : public ::testing::Test {
 protected:
  static Reason fault(const char* text) {
    const auto options = parse_options(text);
    if (options) throw std::runtime_error(std::string(text) + " was taken");
    return options.error();
  }

  const ScopedVariable torch_{"MYOPS_TORCH", std::nullopt};
  const ScopedVariable require_{"MYOPS_REQUIRE", std::nullopt};
  const ScopedVariable disable_{"MYOPS_DISABLE", std::nullopt};
  const ScopedVariable report_{"MYOPS_REPORT", std::nullopt};
  const ScopedVariable capability_{"ATEN_CPU_CAPABILITY", std::nullopt};
  const ScopedVariable log_{"MYOPS_LOG", std::nullopt};
};

TEST_F(OptionsTest, NothingMeansTheDefaults) {
  for (const char* text : {"", "{}"}) {
    const auto options = parse_options(text);
    ASSERT_TRUE(options);
    EXPECT_THAT(options->request.require, IsEmpty());
    EXPECT_FALSE(options->request.open_torch);
    EXPECT_FALSE(options->request.strict);
    EXPECT_FALSE(options->host);
    EXPECT_EQ(options->request.user_id, ::geteuid());
  }
}

TEST_F(OptionsTest, TorchsCapabilityCapsTheLevel) {
  EXPECT_EQ(parse_options("{}")->request.cpu_cap, "");
  const ScopedVariable capability("ATEN_CPU_CAPABILITY", "avx2");
  EXPECT_EQ(parse_options("{}")->request.cpu_cap, "x86-64-v3");
  const auto elsewhere = parse_options(R"({"host": {"arch": "x86_64", "cpu_level": "x86-64-v4"}})");
  ASSERT_TRUE(elsewhere) << to_text(elsewhere.error());
  EXPECT_EQ(elsewhere->request.cpu_cap, "") << "the variable is of this machine";
}

TEST_F(OptionsTest, OddValuesOfVariablesAreNotes) {
  EXPECT_THAT(parse_options("{}")->notes, IsEmpty());
  const ScopedVariable capability("ATEN_CPU_CAPABILITY", "avx512_vnni");
  const ScopedVariable log("MYOPS_LOG", "verbose");
  EXPECT_THAT(
      parse_options("{}")->notes,
      ElementsAre("ATEN_CPU_CAPABILITY=avx512_vnni is none of default, avx2 and avx512: torch and the choice of "
                  "variants pass over it",
                  "MYOPS_LOG=verbose is none of error, warn, plan and off: warnings and errors are shown"));
}

TEST_F(OptionsTest, EmptyKeyIsNoRequirement) {
  for (const char* text : {R"({"require": [""]})", R"({"require": ["CPU", " "]})"}) {
    const auto options = parse_options(text);
    ASSERT_FALSE(options) << text;
    EXPECT_EQ(options.error().code, Code::kBadOption);
    EXPECT_EQ(options.error().subject, "require");
  }
  const ScopedVariable require("MYOPS_REQUIRE", ", CPU,");
  EXPECT_THAT(parse_options("{}")->request.require, ElementsAre("CPU"));
}

TEST_F(OptionsTest, EveryMemberIsTaken) {
  const auto options = parse_options(
      R"({"paths": ["/p"], "late_paths": ["/l"], "torch": "/t", "require": ["CPU"], "prefer": ["a*"], "disable": ["b*"],
          "allow_incomplete": true, "allow_unstamped": true, "allow_no_gpu": true, "trust": "strict", "open_torch": true, "files": ["/f"], "op": "add",
          "helper": ["/h", "child"], "timeout": 7})");
  ASSERT_TRUE(options);
  EXPECT_THAT(options->request.paths, ElementsAre("/p"));
  EXPECT_THAT(options->late_paths, ElementsAre("/l"));
  EXPECT_EQ(options->request.torch_dir, "/t");
  EXPECT_THAT(options->request.require, ElementsAre("CPU"));
  EXPECT_THAT(options->request.prefer, ElementsAre("a*"));
  EXPECT_THAT(options->request.disable, ElementsAre("b*"));
  EXPECT_TRUE(options->request.allow_incomplete);
  EXPECT_TRUE(options->request.allow_no_gpu);
  EXPECT_TRUE(options->request.allow_unstamped);
  EXPECT_TRUE(options->request.strict);
  EXPECT_TRUE(options->request.open_torch);
  EXPECT_THAT(options->files, ElementsAre("/f"));
  EXPECT_EQ(options->op, "add");
  EXPECT_THAT(options->helper, ElementsAre("/h", "child"));
  EXPECT_EQ(options->timeout.count(), 7);
}

TEST_F(OptionsTest, VariablesAreMergedIn) {
  const ScopedVariable torch("MYOPS_TORCH", "/t");
  const ScopedVariable require("MYOPS_REQUIRE", "CPU, Autograd");
  const ScopedVariable disable("MYOPS_DISABLE", "*_cuda");
  const ScopedVariable report("MYOPS_REPORT", "/r.json");
  const auto options = parse_options(R"({"require": ["Meta"]})");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->request.torch_dir, "/t");
  EXPECT_THAT(options->request.require, ElementsAre("Meta", "CPU", "Autograd"));
  EXPECT_THAT(options->request.disable, ElementsAre("*_cuda"));
  EXPECT_EQ(options->report_file, "/r.json");
  EXPECT_EQ(parse_options(R"({"torch": "/mine"})")->request.torch_dir, "/mine");
}

TEST_F(OptionsTest, WrongTextsAreRefusedByName) {
  EXPECT_THAT(fault("nonsense"),
              is_reason(Code::kBadOption, "options", "a JSON object", HasSubstr("no JSON: a syntax error")));
  EXPECT_THAT(fault(R"({"paths": [], "paths": []})"),
              is_reason(Code::kBadOption, "options", _, "no JSON: the key \"paths\" twice in one object"));
  const std::string deep = "{\"paths\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_THAT(fault(deep.c_str()), is_reason(Code::kBadOption, "options", _, "no JSON: nesting deeper than 32"));
  EXPECT_THAT(fault("[1]"), is_reason(Code::kBadOption, "options", "a JSON object", "[1]"));
  EXPECT_THAT(fault(R"({"paths": "/p"})"),
              is_reason(Code::kBadOption, "paths", "a list of strings without NUL", "\"/p\""));
  EXPECT_THAT(fault(R"({"paths": ["/p", 1]})"),
              is_reason(Code::kBadOption, "paths", "a list of strings without NUL", "[\"/p\",1]"));
  EXPECT_THAT(fault(R"({"open_torch": 1})"), is_reason(Code::kBadOption, "open_torch", "true or false", "1"));
  EXPECT_THAT(fault(R"({"torch": null})"), is_reason(Code::kBadOption, "torch", "a string without NUL", "null"));
  EXPECT_THAT(fault(R"({"timeout": -1})"), is_reason(Code::kBadOption, "timeout", "a whole number, 0 or more", "-1"));
  EXPECT_THAT(fault(R"({"host": "me"})"), is_reason(Code::kBadOption, "host", "an object", "\"me\""));
  EXPECT_THAT(fault(R"({"trust": "blind"})"),
              is_reason(Code::kBadOption, "trust", "\"normal\" or \"strict\"", "\"blind\""));
}

TEST_F(OptionsTest, MisspeltNameIsRefusedAndTheRightOnesAreTold) {
  EXPECT_THAT(fault(R"({"requires": ["CPU"]})"),
              is_reason(Code::kBadOption, "requires", HasSubstr("require, prefer"), "an option of no such name"));
}

TEST_F(OptionsTest, LongValuesAreCutInTheReason) {
  const std::string text = R"({"torch": [")" + std::string(1'000, 'x') + R"("]})";
  EXPECT_LT(fault(text.c_str()).found.size(), 100u);
}

TEST_F(OptionsTest, HostIsRead) {
  const auto options = parse_options(R"({"host": {"arch": "aarch64", "bits": 64, "cpu_level": ""}})");
  ASSERT_TRUE(options) << to_text(options.error());
  ASSERT_TRUE(options->host);
  EXPECT_EQ(options->host->arch, "aarch64");
}

}  // namespace
}  // namespace myops::system
