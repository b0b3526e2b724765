#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "loader/rules/report.h"
#include "tests/loader/rules/samples.h"
#include "tests/support/json.h"

namespace myops::rules {
namespace {

using myops::testing::as_json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

class ReportJson : public ::testing::Test {
 protected:
  ReportJson() {
    report.host = samples::host();
    report.torch = samples::torch();
    report.folders = {"/p"};
    report.plan = make_plan(
        {samples::usable(samples::schema_manifest()), samples::usable(samples::scale_manifest("cpu", {"CPU"})),
         samples::refused(samples::scale_manifest("old", {"Meta"}))},
        {}, {}, {});
  }

  // Opens `cpu` with this outcome, and the schema library well.
  void apply(bool opened, std::optional<Reason> reason = std::nullopt) {
    report.applied = true;
    report.outcomes = {{report.plan.order[0], true, false, std::nullopt},
                       {report.plan.order[1], opened, false, std::move(reason)}};
  }

  Json file(const std::string& name) const {
    const Json all = as_json(to_json(report));
    for (const Json& json : all["files"]) {
      if (json["name"] == name) return json;
    }
    return nullptr;
  }

  Report report;
};

TEST_F(ReportJson, HasItsMembersInOneOrder) {
  EXPECT_THAT(keys_of(as_json(to_json(report))),
              ElementsAre("format", "succeeded", "host", "torch", "folders", "folder_notes", "files", "order", "opened",
                          "defined", "fingerprint", "composite", "missing", "notes", "tainted", "applied"));
  EXPECT_THAT(keys_of(file("cpu")), ElementsAre("path", "real_path", "name", "verdict", "loads", "registers", "reasons",
                                                "harmless", "notes", "manifest"));
  EXPECT_EQ(as_json(to_json(report))["format"], 1);
}

TEST_F(ReportJson, DescribesAPlan) {
  const Json json = as_json(to_json(report));
  EXPECT_EQ(json["order"], Json({"/p/libmyops_schema.so", "/p/libcpu.so"}));
  EXPECT_EQ(json["opened"], Json::array());
  EXPECT_EQ(json["folders"], Json({"/p"}));
  EXPECT_EQ(json["tainted"], false);
  EXPECT_EQ(json["applied"], false);
  EXPECT_EQ(json["host"]["cpu_level"], "x86-64-v3");
  EXPECT_EQ(json["torch"]["version"], "2.15.0");
  EXPECT_EQ(json["torch"]["build_ids"]["libc10.so"], "10aa");
  EXPECT_EQ(json["notes"].size(), 3u) << json["notes"];
}

TEST_F(ReportJson, DescribesAFile) {
  const Json cpu = file("cpu");
  EXPECT_EQ(cpu["path"], "/p/libcpu.so");
  EXPECT_EQ(cpu["real_path"], "/p/libcpu.so");
  EXPECT_EQ(cpu["verdict"], "usable");
  EXPECT_EQ(cpu["loads"], true);
  EXPECT_EQ(cpu["reasons"], Json::array());
  EXPECT_EQ(cpu["manifest"], Json::parse(R"({"version": "0.1.0", "namespace": "myops", "set": "myops", "release": "1",
                                             "keys": ["CPU"], "defines": 0, "level": "x86-64", "torch": "2.15.0"})"));
  EXPECT_EQ(file("myops_schema")["manifest"]["defines"], 2);
}

TEST_F(ReportJson, GivesReasonsAsData) {
  EXPECT_EQ(
      file("old")["reasons"],
      Json::parse(R"([{"code": "torch-version-mismatch", "subject": "torch", "expected": "2.11.0", "found": "2.15.0",
                             "hint": "rebuild it for torch 2.15 or install that torch"}])"));
}

TEST_F(ReportJson, TellsWhatAHealthyMachineShowsToo) {
  Verdict cuda = judge(samples::evidence(samples::cuda_manifest()), samples::host(), samples::torch(), {});
  report.plan.files = {cuda, samples::refused(samples::cuda_manifest(), "/old"),
                       samples::usable(samples::schema_manifest())};
  const Json json = as_json(to_json(report));
  EXPECT_EQ(json["files"][0]["harmless"], true) << json["files"][0];
  EXPECT_EQ(json["files"][1]["harmless"], false) << json["files"][1];
  EXPECT_EQ(json["files"][2]["harmless"], false) << "not left out at all";
}

TEST_F(ReportJson, SaysNullWhereNothingIsKnown) {
  report.torch.reset();
  report.plan = make_plan({judge(samples::foreign_evidence("x"), samples::host(), std::nullopt, {})}, {}, {}, {});
  EXPECT_EQ(as_json(to_json(report))["torch"], nullptr);
  EXPECT_EQ(file("x")["loads"], nullptr);
  EXPECT_EQ(file("x")["manifest"], nullptr);
}

TEST_F(ReportJson, SaysWhatALoadDid) {
  apply(true);
  const Json json = as_json(to_json(report));
  EXPECT_EQ(json["applied"], true);
  EXPECT_EQ(json["succeeded"], true);
  EXPECT_EQ(json["opened"], Json({"/p/libmyops_schema.so", "/p/libcpu.so"}));
  EXPECT_EQ(file("cpu")["opened"], true);
  EXPECT_EQ(file("cpu")["already"], false);
  EXPECT_FALSE(file("old").contains("opened"));
}

TEST_F(ReportJson, PutsWhatALoadCameUponAmongTheReasons) {
  apply(false, Reason{Code::kOpenFailed, "", "", "cannot allocate memory in static TLS block", ""});
  report.findings = {{"/p/libcpu.so", {Code::kKernelNotRegistered, "myops::scale on CPU", "a", "nothing", ""}}};
  const Json json = as_json(to_json(report));
  EXPECT_EQ(json["succeeded"], false);
  EXPECT_EQ(json["opened"], Json({"/p/libmyops_schema.so"}));
  EXPECT_EQ(file("cpu")["opened"], false);
  ASSERT_EQ(file("cpu")["reasons"].size(), 2u);
  EXPECT_EQ(file("cpu")["reasons"][0]["code"], "open-failed");
  EXPECT_EQ(file("cpu")["reasons"][1]["code"], "kernel-not-registered");
  EXPECT_EQ(file("myops_schema")["reasons"], Json::array());
}

TEST_F(ReportJson, CountsWhatAnEarlierLoadOpened) {
  const Verdict schema = samples::usable(samples::schema_manifest());
  report.plan = make_plan({schema}, samples::loaded({samples::schema_manifest()}), {}, {schema.file.real_path});
  report.applied = true;
  report.outcomes = {{0, false, true, std::nullopt}};
  EXPECT_EQ(as_json(to_json(report))["opened"], Json({"/p/libmyops_schema.so"}));
  EXPECT_EQ(file("myops_schema")["opened"], true);
  EXPECT_EQ(file("myops_schema")["already"], true);
  EXPECT_TRUE(succeeded(report));
}

TEST_F(ReportJson, DoesNotThrowOnNamesThatAreNoUtf8) {
  report.plan.files[0].file.path = "/p/\xFF.so";
  report.plan.files[0].reasons.push_back({Code::kOpenFailed, "\xFE", "\xC3", "\xF0\x9F", "\xFF"});
  report.plan.files[0].notes.push_back("\xFF");
  report.folders = {"/\xFF"};
  report.host.cpu_name = "\xFF";
  report.torch->lib_dir = "\xFF";
  report.plan.missing = {{Code::kKeyNotServed, "\xFF", "", "", ""}};
  std::string text;
  EXPECT_NO_THROW(text = as_json(to_json(report)).dump());
  EXPECT_EQ(Json::parse(text)["files"][0]["path"], "/p/\xEF\xBF\xBD.so");
}

TEST_F(ReportJson, ALoadOfNothingHasNotSucceeded) {
  report.plan = {};
  EXPECT_TRUE(succeeded(report)) << "a plan of nothing";
  report.applied = true;
  EXPECT_FALSE(succeeded(report));
}

TEST_F(ReportJson, SucceedsWhereNothingRequiredIsMissingAndAllPlannedWasOpened) {
  EXPECT_TRUE(succeeded(report));
  apply(true);
  EXPECT_TRUE(succeeded(report));
  apply(false, Reason{Code::kOpenFailed, "", "", "", ""});
  EXPECT_FALSE(succeeded(report));
  apply(true);
  report.findings = {{"/p/libcpu.so", {Code::kKernelNotRegistered, "", "", "", ""}}};
  EXPECT_FALSE(succeeded(report));
  report.findings.clear();
  report.plan.missing = {{Code::kKeyNotServed, "CUDA", "", "", ""}};
  EXPECT_FALSE(succeeded(report));
}

TEST(IsHarmless, WhatIsForOtherHardwareMayMissWhatComesWithThat) {
  Verdict verdict;
  verdict.reasons = {{Code::kDependencyMissing, "libcudart.so.13", "", "", ""}};
  EXPECT_FALSE(is_harmless(verdict));
  verdict.reasons.push_back({Code::kNoGpu, "", "", "", ""});
  EXPECT_TRUE(is_harmless(verdict));
  verdict.reasons.push_back({Code::kTorchVersionMismatch, "", "", "", ""});
  EXPECT_FALSE(is_harmless(verdict));
}

}  // namespace
}  // namespace myops::rules
