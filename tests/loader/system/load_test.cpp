// The pipeline around the opening, with an opener of the test's own. Real loads are tests/python's.
#include "loader/system/load.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "loader/system/file_bytes.h"
#include "loader/system/host.h"
#include "loader/system/last_load.h"
#include "loader/system/log.h"
#include "tests/loader/system/scoped_variable.h"
#include "tests/loader/system/temporary_folder.h"
#include "tests/support/json.h"

namespace myops::system {
namespace {

using myops::testing::as_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class LoadTest : public ::testing::Test {
 protected:
  // A search path of one empty folder, and the torch this tree is built against.
  Options options() const {
    Options options;
    options.request.torch_dir = TORCH_FOLDER;
    return options;
  }
  Opener recording() {
    return [this](const std::string& path) -> std::optional<Reason> {
      opened_.push_back(path);
      return std::nullopt;
    };
  }
  static Answer must(const Result<Answer>& answer) {
    if (!answer) throw std::runtime_error(to_text(answer.error()));
    return *answer;
  }

  const TemporaryFolder folder_;
  const ScopedVariable plugin_path_{"MYOPS_PLUGIN_PATH", std::nullopt};
  const ScopedVariable system_path_{"MYOPS_SYSTEM_PLUGIN_PATH", folder_.path()};
  std::vector<std::string> opened_;
};

TEST_F(LoadTest, WithoutATorchInTheProcessNothingIsOpened) {
  const Answer answer = must(load(options(), recording()));
  EXPECT_EQ(answer.status, kCannotLoad);
  ASSERT_EQ(as_json(answer.json)["missing"].size(), 1u);
  EXPECT_EQ(as_json(answer.json)["missing"][0]["code"], "torch-not-found");
  EXPECT_EQ(as_json(answer.json)["missing"][0]["found"], "the one in " TORCH_FOLDER " is not loaded");
  EXPECT_THAT(as_json(answer.json)["missing"][0]["hint"].get<std::string>(), HasSubstr("import torch"));
  EXPECT_THAT(opened_, IsEmpty());
}

TEST_F(LoadTest, TorchIsOpenedOnlyWhereAskedAndByPath) {
  Options asked = options();
  asked.request.open_torch = true;
  must(load(asked, recording()));
  std::vector<std::string> parts = {TORCH_FOLDER "/libc10.so", TORCH_FOLDER "/libtorch_cpu.so"};
  if (!read_host().gpus.empty()) parts.push_back(TORCH_FOLDER "/libtorch_cuda.so");
  EXPECT_EQ(opened_, parts);
  opened_.clear();
  asked.request.allow_no_gpu = true;
  must(load(asked, recording()));
  EXPECT_THAT(opened_, ElementsAre(TORCH_FOLDER "/libc10.so", TORCH_FOLDER "/libtorch_cpu.so",
                                   TORCH_FOLDER "/libtorch_cuda.so"));
}

TEST_F(LoadTest, TorchThatCannotBeOpenedIsWhatIsMissing) {
  Options asked = options();
  asked.request.open_torch = true;
  const Answer answer = must(load(asked, [](const std::string& path) -> std::optional<Reason> {
    return Reason{Code::kOpenFailed, path, "", "cannot be opened today", ""};
  }));
  EXPECT_EQ(answer.status, kCannotLoad);
  ASSERT_EQ(as_json(answer.json)["missing"].size(), 1u);
  EXPECT_EQ(as_json(answer.json)["missing"][0]["code"], "open-failed");
  EXPECT_EQ(as_json(answer.json)["missing"][0]["subject"], TORCH_FOLDER "/libc10.so");
  EXPECT_EQ(as_json(answer.json)["missing"][0]["found"], "cannot be opened today");
}

TEST_F(LoadTest, NothingToLoadIsNoSuccess) {
  Options asked = options();
  asked.request.open_torch = true;
  const Answer empty = must(load(asked, &open_library));
  EXPECT_EQ(empty.status, kCannotLoad);
  EXPECT_EQ(as_json(empty.json)["succeeded"], false);
  EXPECT_THAT(as_json(empty.json)["missing"], IsEmpty()) << "nothing was required";
  EXPECT_TRUE(as_json(empty.json)["torch"]["mapped"]);
  EXPECT_THAT(as_json(empty.json)["folders"], ElementsAre(folder_.path(), folder_ / "torch-" TORCH_MINOR_TEXT));
  asked.request.require = {"CPU"};
  const Answer failed = must(load(asked, &open_library));
  EXPECT_EQ(failed.status, kCannotLoad);
  ASSERT_EQ(as_json(failed.json)["missing"].size(), 1u);
  EXPECT_EQ(as_json(failed.json)["missing"][0]["code"], "key-not-served");
  EXPECT_EQ(as_json(failed.json)["missing"][0]["subject"], "CPU");
}

TEST_F(LoadTest, ReportIsThatOfTheLastLoad) {
  EXPECT_EQ(last_report().status, kCannotLoad);
  EXPECT_EQ(as_json(last_report().json)["error"]["found"], "none in this process yet");
  const Answer answer = must(load(options(), recording()));
  EXPECT_EQ(last_report().json, answer.json);
  EXPECT_EQ(last_report().status, answer.status);
}

TEST_F(LoadTest, ReportIsWrittenWhereAsked) {
  Options asked = options();
  asked.report_file = folder_ / "report.json";
  const Answer answer = must(load(asked, recording()));
  EXPECT_EQ(read_text(asked.report_file), dump(answer.json) + "\n");
}

TEST_F(LoadTest, FaultIsLoggedWrittenAndKept) {
  Options asked = options();
  asked.report_file = folder_ / "report.json";
  must(load(asked, recording()));
  std::vector<std::string> lines;
  set_log([](const char* level, const char* line,
             void* user) { static_cast<std::vector<std::string>*>(user)->push_back(std::string(level) + " " + line); },
          &lines);
  asked.request.torch_dir = "/no/such/torch";
  EXPECT_FALSE(load(asked, recording()));
  EXPECT_THAT(lines, ElementsAre(StartsWith("error torch-not-found: /no/such/torch")));
  EXPECT_EQ(nlohmann::json::parse(read_text(asked.report_file))["error"]["code"], "torch-not-found");
  EXPECT_EQ(as_json(last_report().json)["error"]["subject"], "/no/such/torch");
  EXPECT_EQ(last_report().status, kCannotLoad);
  const ScopedVariable report("MYOPS_REPORT", folder_ / "report.json");
  EXPECT_FALSE(load(parse_options(R"({"requires": ["CPU"]})"), recording()));
  set_log(nullptr, nullptr);
  EXPECT_EQ(nlohmann::json::parse(read_text(asked.report_file))["error"]["subject"], "requires");
  EXPECT_EQ(as_json(last_report().json)["error"]["subject"], "requires");
}

TEST_F(LoadTest, ReportThatCannotBeWrittenIsANote) {
  Options asked = options();
  asked.report_file = "/no/such/folder/r.json";
  const std::string note = "MYOPS_REPORT=/no/such/folder/r.json cannot be written: No such file or directory";
  const Answer answer = must(load(asked, recording()));
  EXPECT_THAT(as_json(answer.json)["notes"], ElementsAre(note));
  EXPECT_THAT(as_json(answer.json)["text"].get<std::string>(), HasSubstr("note: " + note + "\n"));
  EXPECT_EQ(last_report().json, answer.json);
}

TEST_F(LoadTest, CallFromWithinALoadIsToldSoAndDoesNotHang) {
  Options asked = options();
  asked.request.open_torch = true;
  std::vector<std::string> faults;
  must(load(asked, [&](const std::string&) -> std::optional<Reason> {
    const auto inner = load(asked, [](const std::string&) -> std::optional<Reason> { return std::nullopt; });
    faults.push_back(inner ? "was let in" : inner.error().found);
    return std::nullopt;
  }));
  EXPECT_THAT(faults, ElementsAre("a call from within one", "a call from within one"));
}

TEST_F(LoadTest, LoadsOfSeveralThreadsComeOneAfterTheOther) {
  Options asked = options();
  asked.request.open_torch = true;
  std::atomic<int> inside = 0, most = 0;
  const Opener slow = [&](const std::string&) -> std::optional<Reason> {
    most = std::max(most.load(), ++inside);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    --inside;
    return std::nullopt;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { must(load(asked, slow)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST_F(LoadTest, IsForThisMachineOnly) {
  Options asked = options();
  asked.host.emplace();
  const auto answer = load(asked, recording());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kBadOption);
  EXPECT_EQ(answer.error().subject, "host");
}

TEST_F(LoadTest, WrongTorchIsAWrongOption) {
  Options asked = options();
  asked.request.torch_dir = folder_.path();
  const auto answer = load(asked, recording());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kTorchNotFound);
  EXPECT_EQ(answer.error().subject, folder_.path());
}

}  // namespace
}  // namespace myops::system
