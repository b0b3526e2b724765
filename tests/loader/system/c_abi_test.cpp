// libmyops_loader.so as its users see it: the C ABI, and the C++ header over it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <myops/loader.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/loader/system/memory_limit.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/temporary_folder.h"

namespace {

using myops::testing::MemoryLimit;
using myops::testing::ScopedVariable;
using myops::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Function = int (*)(const char*, char**);

struct Answer {
  int status;
  nlohmann::json json;
};

Answer ask(Function function, const char* options) {
  char* result = nullptr;
  const int status = function(options, &result);
  const std::string text = result == nullptr ? "null" : result;
  myops_free(result);
  return {status, nlohmann::json::parse(text)};
}

class CAbi : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const ScopedVariable system_path_{"MYOPS_SYSTEM_PLUGIN_PATH", folder_.path()};
  const ScopedVariable torch_{"MYOPS_TORCH", TORCH_FOLDER};
};

TEST_F(CAbi, SaysItsVersions) {
  EXPECT_EQ(myops_loader_abi(), MYOPS_LOADER_ABI);
  EXPECT_STREQ(myops_loader_version(), LOADER_VERSION);
}

TEST_F(CAbi, NoOptionsMeanTheDefaults) {
  for (const Function function : {&myops_list, &myops_plan, &myops_facts, &myops_doctor}) {
    for (const char* options : {static_cast<const char*>(nullptr), "", "{}"}) {
      const Answer answer = ask(function, options);
      EXPECT_EQ(answer.status, 0);
      EXPECT_TRUE(answer.json.contains("text"));
      EXPECT_FALSE(answer.json.contains("error"));
    }
  }
}

TEST_F(CAbi, DoctorsTextMovesNoTerminal) {
  const ScopedVariable odd("PYTHONPATH", "a\x1b[2Jb\nc");
  const Answer answer = ask(&myops_doctor, nullptr);
  EXPECT_EQ(answer.json["environment"]["PYTHONPATH"], "a\x1b[2Jb\nc");
  EXPECT_THAT(answer.json["text"].get<std::string>(), HasSubstr("  PYTHONPATH=a\\x1b[2Jb\\x0ac\n"));
}

TEST_F(CAbi, DoctorTellsWhatWasAskedAndWhatThePlanWouldGive) {
  const Answer answer = ask(&myops_doctor, nullptr);
  const auto& identity = answer.json["checks"][0];
  EXPECT_EQ(identity["family"], "identity");
  EXPECT_THAT(identity["question"].get<std::string>(), HasSubstr("for this machine"));
  EXPECT_EQ(identity["codes"][0]["code"], "not-a-library");
  EXPECT_EQ(identity["codes"][0]["harmless"], false);
  EXPECT_THAT(identity["codes"][0]["meaning"].get<std::string>(), HasSubstr("no ELF shared object"));
  EXPECT_TRUE(answer.json["table"]["operators"].is_object());
  EXPECT_TRUE(answer.json["table"]["fallbacks"].is_object());
}

TEST_F(CAbi, WrongOptionsAreStatusTwoWithAReason) {
  for (const Function function :
       {&myops_list, &myops_check, &myops_plan, &myops_facts, &myops_doctor, &myops_load, &myops_report, &myops_table,
        &myops_load_in_child, &myops_table_in_child, &myops_stamp}) {
    const Answer answer = ask(function, "{\"nonsense\": 1}");
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.json["error"]["code"], "bad-option");
    EXPECT_EQ(answer.json["error"]["subject"], "nonsense");
    EXPECT_THAT(answer.json["text"].get<std::string>(), HasSubstr("bad-option"));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(CAbi, WantOfMemoryIsNoWrongOption) {
  const std::string options = "{\"paths\": [\"/" + std::string(std::size_t{64} << 20, 'x') + "\"]}";
  const MemoryLimit limit(std::size_t{1} << 20);
  const Answer answer = ask(&myops_list, options.c_str());
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.json["error"]["code"], "internal-error");
  EXPECT_EQ(answer.json["error"]["found"], "std::bad_alloc");
}
#endif

TEST_F(CAbi, ResultMayBeDeclined) { EXPECT_EQ(myops_list(nullptr, nullptr), 0); }

TEST_F(CAbi, ChecksFilesThatAreNone) {
  const std::string text = folder_.write("x.so", "text");
  const Answer answer = ask(&myops_check, ("{\"files\": [\"" + text + "\"]}").c_str());
  EXPECT_EQ(answer.status, 1);
  ASSERT_EQ(answer.json["files"].size(), 1u);
  EXPECT_EQ(answer.json["files"][0]["path"], text);
  EXPECT_EQ(answer.json["files"][0]["loads"], false);
  EXPECT_EQ(answer.json["files"][0]["verdict"], "rejected");
  EXPECT_EQ(answer.json["files"][0]["reasons"][0]["code"], "not-a-library");
  EXPECT_EQ(ask(&myops_check, "{}").json["error"]["subject"], "files");
}

TEST_F(CAbi, FactsAreAHostOption) {
  nlohmann::json facts = ask(&myops_facts, nullptr).json;
  facts.erase("text");
  const Answer answer = ask(&myops_plan, nlohmann::json{{"host", facts}}.dump().c_str());
  EXPECT_EQ(answer.status, 0);
  if (facts.contains("torch")) EXPECT_EQ(answer.json["torch"]["version"], facts["torch"]["version"]);
  facts.erase("torch");
  EXPECT_EQ(answer.json["host"], facts);
}

TEST_F(CAbi, ManyThreadsMayAskAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> fine = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const Answer listed = ask(&myops_list, nullptr);
      const Answer loaded = ask(&myops_load, nullptr);
      if (listed.status == 0 && loaded.status == 1) ++fine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fine, 16);
}

// Real plugins of tests/fakes: one defines operators, the other has CPU kernels for them.
TEST_F(CAbi, LaterLoadTakesWhatWasInstalledSinceAndOpensNothingTwice) {
  std::filesystem::copy_file(FAKE_SCHEMA, folder_ / "libmyops_fake_schema.so");
  // Without `quiescent` what stands in for the missing kernels would stay, and the library be refused.
  const myops::LoadOptions options = {.torch = TORCH_FOLDER, .open_torch = true, .quiescent = true};
  EXPECT_THAT(myops::load(options).opened(), ElementsAre(folder_ / "libmyops_fake_schema.so"));
  std::filesystem::copy_file(FAKE_CPU, folder_ / "libmyops_fake_cpu.so");
  EXPECT_THAT(myops::load({.torch = TORCH_FOLDER}).text(), HasSubstr("not-quiescent"));
  const myops::Report report = myops::load(options);
  EXPECT_THAT(report.opened(), ElementsAre(folder_ / "libmyops_fake_schema.so", folder_ / "libmyops_fake_cpu.so"));
  const auto files = nlohmann::json::parse(report.json())["files"];
  for (const auto& file : files) EXPECT_EQ(file["already"], file["name"] == "myops_fake_schema") << file;
  const myops::Report again = myops::load(options);
  EXPECT_EQ(again.opened(), report.opened());
  const auto second = nlohmann::json::parse(again.json());
  for (const auto& file : second["files"]) EXPECT_EQ(file["already"], true) << file;
}

TEST_F(CAbi, PlanForAnotherMachineHasNothingOfThisProcess) {
  std::filesystem::copy_file(FAKE_SCHEMA, folder_ / "libmyops_fake_schema.so");
  std::filesystem::copy_file(FAKE_CPU, folder_ / "libmyops_fake_cpu.so");
  myops::load({.torch = TORCH_FOLDER, .open_torch = true});
  nlohmann::json facts = ask(&myops_facts, nullptr).json;
  facts.erase("text");
  const nlohmann::json options = {{"host", facts}, {"torch", TORCH_FOLDER}};
  for (const auto function : {&myops_plan, &myops_list}) {
    const nlohmann::json there = ask(function, options.dump().c_str()).json;
    EXPECT_EQ(there["torch"]["mapped"], false);
    EXPECT_EQ(there["opened"].size(), 0u);
    EXPECT_EQ(there["order"].size(), 2u);
    for (const auto& file : there["files"]) EXPECT_EQ(file["notes"], nlohmann::json::array()) << file;
    const nlohmann::json here = ask(function, nullptr).json;
    EXPECT_EQ(here["opened"].size(), 2u);
    EXPECT_THAT(here["files"][0]["notes"], ElementsAre("in this process already"));
  }
}

TEST_F(CAbi, TableKnowsLibrariesOfThePathsItIsGiven) {
  const TemporaryFolder elsewhere;
  std::filesystem::copy_file(FAKE_SCHEMA, elsewhere / "libmyops_fake_schema.so");
  myops::load({.paths = {elsewhere.path()}, .torch = TORCH_FOLDER, .open_torch = true});
  EXPECT_EQ(nlohmann::json::parse(myops::table().json())["operators"].size(), 0u);
  EXPECT_GT(nlohmann::json::parse(myops::table("", {elsewhere.path()}).json())["operators"].size(), 0u);
}

TEST_F(CAbi, ManyThreadsLoadEachLibraryOnce) {
  std::filesystem::copy_file(FAKE_SCHEMA, folder_ / "libmyops_fake_schema.so");
  std::filesystem::copy_file(FAKE_CPU, folder_ / "libmyops_fake_cpu.so");
  std::vector<std::vector<std::string>> opened(16);
  std::atomic<int> first = 0;
  std::vector<std::thread> threads;
  for (auto& mine : opened) {
    threads.emplace_back([&] {
      const myops::Report report = myops::load({.require = {"CPU"}, .torch = TORCH_FOLDER, .open_torch = true});
      mine = report.opened();
      const auto json = nlohmann::json::parse(report.json());
      for (const auto& file : json["files"]) first += file["already"] == false ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : opened) {
    EXPECT_THAT(mine, ElementsAre(folder_ / "libmyops_fake_schema.so", folder_ / "libmyops_fake_cpu.so"));
  }
  EXPECT_EQ(first, 2) << "each of the two libraries is opened by one load";
}

TEST_F(CAbi, LibraryThatChangesBetweenVerdictAndOpeningIsNotOpened) {
  std::filesystem::copy_file(FAKE_SCHEMA, folder_ / "libmyops_fake_schema.so");
  std::filesystem::copy_file(FAKE_CPU, folder_ / "libmyops_fake_cpu.so");
  // The last word before the first file is opened; the second is replaced then.
  myops_set_log(
      [](const char*, const char* line, void* folder) {
        const std::string path = *static_cast<const std::string*>(folder) + "/libmyops_fake_cpu.so";
        if (std::string(line).ends_with("/libmyops_fake_schema.so")) std::filesystem::last_write_time(path, {});
      },
      const_cast<std::string*>(&folder_.path()));
  const Answer answer = ask(&myops_load, "{\"open_torch\": true}");
  myops_set_log(nullptr, nullptr);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.json["opened"], ElementsAre(folder_ / "libmyops_fake_schema.so"));
  for (const auto& file : answer.json["files"]) {
    if (file["name"] != "myops_fake_cpu") continue;
    ASSERT_EQ(file["reasons"].size(), 1u);
    EXPECT_EQ(file["reasons"][0]["code"], "changed-while-loading");
  }
}

TEST_F(CAbi, MembersAreReadWithoutAJsonReader) {
  char* text = myops_member("{\"opened\": [\"/a\", \"/b\"]}", "opened");
  EXPECT_STREQ(text, "/a\n/b");
  myops_free(text);
  EXPECT_EQ(myops_member("{}", "opened"), nullptr);
  EXPECT_EQ(myops_member(nullptr, nullptr), nullptr);
}

TEST_F(CAbi, LibraryNeedsNoTorchAndExportsItsFunctionsOnly) {
  EXPECT_EQ(::dlopen(TORCH_FOLDER "/libc10.so", RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_NE(::dlsym(RTLD_DEFAULT, "myops_list"), nullptr);
  EXPECT_EQ(::dlsym(RTLD_DEFAULT, "_ZN5myops9all_codesEv"), nullptr);
}

TEST_F(CAbi, CppHeaderThrowsWithTheReportsText) {
  try {
    myops::load({.require = {"CPU"}, .torch = TORCH_FOLDER, .open_torch = true});
    FAIL() << "an empty folder serves nothing";
  } catch (const myops::LoadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("key-not-served"));
    EXPECT_EQ(error.report().status(), 1);
    EXPECT_THAT(error.report().opened(), IsEmpty());
    EXPECT_EQ(error.report().text(), error.what());
  }
  EXPECT_THAT(myops::last_report().text(), HasSubstr("key-not-served"));
}

TEST_F(CAbi, CppHeaderGivesTheReport) {
  try {
    myops::load({.torch = TORCH_FOLDER, .open_torch = true});
    ADD_FAILURE() << "there is nothing to load";
  } catch (const myops::LoadError& error) {
    EXPECT_EQ(error.report().status(), 1);
    EXPECT_TRUE(nlohmann::json::parse(error.report().json())["applied"]);
    EXPECT_THAT(error.report().text(), HasSubstr("nothing was loaded"));
  }
  EXPECT_EQ(myops::plan().status(), 0);
}

TEST_F(CAbi, CppHeaderQuotesWhatItIsGiven) {
  const std::string odd = "a\"b\\c\n\t\x01 ü";
  const nlohmann::json json = nlohmann::json::parse(myops::detail::to_json({.paths = {odd, ""}, .strict = true}));
  EXPECT_EQ(json["paths"], (std::vector<std::string>{odd, ""}));
  EXPECT_EQ(json["trust"], "strict");
  EXPECT_EQ(json["open_torch"], false);
}

TEST_F(CAbi, CppHeaderNamesTheOptionThatIsNoUtf8) {
  const auto refused = [](const std::string& path) -> std::string {
    try {
      myops::plan({.paths = {"/good", path}});
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refused("/odd/\xFF/ü"), "myops: \"/odd/\\xff/ü\" is not UTF-8, which the options must be");
  for (const char* bad : {"\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xF5"}) {
    EXPECT_NE(refused(bad), "") << bad;
  }
  for (const char* good : {"", "ü", "\xED\x9F\xBF", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(refused(good), "") << good;
  }
}

}  // namespace
