#include "loader/system/child_task.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/printable.h"
#include "loader/system/load.h"
#include "loader/system/log.h"
#include "loader/system/nvml.h"
#include "loader/system/open.h"
#include "loader/system/probe.h"
#include "loader/system/report_file.h"
#include "loader/system/stamp.h"
#include "loader/system/table.h"

namespace myops::system {
namespace {

constexpr std::string_view kOpening = "opening ";

// What a child says on its standard output: a line for each file before it is opened, then one with the answer.
struct ChildWords {
  std::string last_opened;
  std::string answer;
};

ChildWords read_words(const std::string& output) {
  ChildWords words;
  std::size_t start = 0;
  while (start < output.size()) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, end - start);
    if (line.starts_with(kOpening)) words.last_opened = line.substr(kOpening.size());
    if (line.starts_with('{')) words.answer = line;
    start = end + 1;
  }
  return words;
}

std::string child_options(const std::string& text) {
  auto json = text.empty() ? boost::json::object() : boost::json::parse(text).as_object();
  for (const char* own : {"helper", "timeout"}) {
    if (const auto member = json.find(own); member != json.end()) json.stable_erase(member);
  }
  json["open_torch"] = true;
  return dump(json);
}

// What the child's exit code would have been, for an answer whose writer's end is not known.
Status status_of(const boost::json::object& answer) {
  if (const auto* error = answer.if_contains("error")) {
    const auto* code = error->is_object() ? error->get_object().if_contains("code") : nullptr;
    return code && *code == boost::json::string_view(token(Code::kBadOption)) ? kWrongOptions : kCannotLoad;
  }
  const auto* succeeded = answer.if_contains("succeeded");
  return succeeded && *succeeded == boost::json::value(false) ? kCannotLoad : kFine;
}

// What the child answered. One that died after that (at exit, say) has still failed: that is the error.
Result<Answer> answer_of(const ChildOutcome& outcome, const std::string& program) {
  const ChildWords words = read_words(outcome.output);
  const std::string& subject = words.last_opened.empty() ? program : words.last_opened;
  const bool ended_well = outcome.signal == 0 && !outcome.timed_out && outcome.exit_code <= kWrongOptions;
  boost::json::error_code failed;
  auto json = boost::json::parse(words.answer, failed);
  if (ended_well && !failed && json.is_object()) {
    const Status status = outcome.end_known ? static_cast<Status>(outcome.exit_code) : status_of(json.get_object());
    return Answer{status, std::move(json.get_object())};
  }
  const Reason no_answer{Code::kOpenFailed, subject, "an answer", "the child process gave none",
                         "something ends the process when it is opened: leave it out with --disable to see the rest"};
  return failure_of(outcome, subject).value_or(no_answer);
}

// Standard output of this process, kept for the parent; what anybody else prints there goes to stderr.
std::FILE* take_standard_output() {
  std::fflush(stdout);
  const int kept = ::dup(STDOUT_FILENO);
  if (kept < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return nullptr;
  return ::fdopen(kept, "w");
}

void tell_opening(const char*, const char* line, void* out) {
  if (!std::string_view(line).starts_with(kOpening)) return;
  std::fprintf(static_cast<std::FILE*>(out), "%s\n", line);
  std::fflush(static_cast<std::FILE*>(out));
}

Result<Answer> do_task(const std::string& task, const std::string& argument) {
  const auto options = parse_judging_options(argument);
  auto loaded = load(options, &open_library);
  if (!loaded || task == "load") return loaded;
  if (task == "table") return table(*options);
  return Reason{Code::kBadOption, "task", "load, table, measure or gpus", task, ""};
}

// What is thrown is an answer too: left to end the process, it would be blamed on the last file that was opened.
Answer answer_to(const std::string& task, const std::string& argument) {
  try {
    const auto answer = do_task(task, argument);
    return answer ? *answer : error_answer(answer.error(), kWrongOptions);
  } catch (const std::exception& error) {
    return error_answer({Code::kInternalError, "the loader", "", error.what(), ""}, kCannotLoad);
  }
}

}  // namespace

Result<Answer> in_child(const std::string& task, const std::string& text, const Options& options) {
  if (options.helper.empty()) return Reason{Code::kBadOption, "helper", "a command", "none", ""};
  std::vector<std::string> command = options.helper;
  command.push_back(task);
  command.push_back(child_options(text));
  const auto outcome = run_child(command, options.timeout);
  const auto answer = outcome ? answer_of(*outcome, command.front()) : Result<Answer>(outcome.error());
  if (answer) return answer;
  Answer failed = error_answer(answer.error(), kCannotLoad);
  const bool is_asked = task == "load" && !options.report_file.empty();  // the child has written none
  if (const auto unwritten = is_asked ? write_report(options.report_file, failed) : std::nullopt) {
    log(LogLevel::kWarn, printable(*unwritten));
  }
  return failed;
}

int run_task(const std::string& task, const std::string& argument) {
  // The parent, whose thread waits meanwhile, keeps the time limit: nobody would where it is killed itself.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (task == "measure") return measure_and_print(argument);
  std::FILE* out = take_standard_output();
  if (out == nullptr) return kCannotLoad;
  if (task == "gpus") {
    std::fprintf(out, "%s\n", dump(driver_facts_json()).c_str());
    return std::fclose(out) == 0 ? kFine : kCannotLoad;
  }
  set_log(&tell_opening, out);
  const Answer told = answer_to(task, argument);
  set_log(nullptr, nullptr);
  std::fprintf(out, "%s\n", dump(told.json).c_str());
  std::fclose(out);
  return told.status;
}

}  // namespace myops::system
