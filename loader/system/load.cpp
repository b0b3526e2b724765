#include "loader/system/load.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "loader/printable.h"
#include "loader/rules/absent.h"
#include "loader/system/apply.h"
#include "loader/system/bridge.h"
#include "loader/system/host.h"
#include "loader/system/last_load.h"
#include "loader/system/log.h"
#include "loader/system/prepare.h"
#include "loader/system/report_file.h"
#include "loader/system/torch.h"
#include "loader/system/turn.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

// Marks this thread as one that loads. A plugin's constructor that calls for a load gets told so: its own would be in
// the middle of it.
class Loading {
 public:
  Loading() : outermost_(!std::exchange(under_way, true)) {}
  ~Loading() {
    if (outermost_) under_way = false;
  }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
  bool outermost() const { return outermost_; }

 private:
  static thread_local bool under_way;
  bool outermost_;
};
thread_local bool Loading::under_way = false;

// As `import torch` would have it. Without a GPU nothing needs libtorch_cuda, and it takes a third of a second. One
// that cannot be opened is torch-cuda-not-loaded for those that need it.
void open_torch_cuda(const rules::TorchFacts& torch, const rules::Request& request, const Opener& open) {
  if (torch.cuda.empty() || (read_host().gpus.empty() && !request.allow_no_gpu)) return;
  const std::string path = torch.lib_dir + "/libtorch_cuda.so";
  log(LogLevel::kDebug, "opening " + printable(path));
  if (const auto failed = open(path)) log(LogLevel::kWarn, printable(path) + ": " + to_text(*failed));
}

// A C++ host that asked for it gets the chosen torch into its process, so that everything after sees what is really
// there.
std::optional<Reason> bring_torch(const Options& options, const Opener& open) {
  if (!options.request.open_torch) return std::nullopt;
  const auto choice = choose_torch(options.request.torch_dir);
  if (!choice || !choice->torch || choice->torch->mapped) return std::nullopt;
  auto failed = open_torch(*choice->torch, open);
  if (!failed) open_torch_cuda(*choice->torch, options.request, open);
  return failed;
}

std::optional<Reason> no_torch_to_load_into(const std::optional<rules::TorchFacts>& torch) {
  if (torch && torch->mapped) return std::nullopt;
  return Reason{
      Code::kTorchNotFound, "this process", "a torch in this process",
      torch ? "the one in " + torch->lib_dir + " is not loaded" : "none",
      torch ? "in Python `import torch` first; in C++ link libtorch (--as-needed drops it where nothing of it is "
              "called), or set open_torch"
            : "install torch, or name its folder with MYOPS_TORCH"};
}

// Looks up what the opened libraries promised. A library that failed has promised nothing: its outcome says why.
void verify_load(rules::Report& report, const rules::DispatcherState& before, const rules::Request& request) {
  std::set<std::size_t> failed;
  for (const rules::OpenOutcome& outcome : report.outcomes) {
    if (outcome.reason) failed.insert(outcome.file);
  }
  if (failed.size() == report.plan.order.size()) return;
  SnapshotRequest questions;
  questions.kernels = rules::promised(report.plan, failed);
  questions.signatures = false;
  const auto after = snapshot(*report.torch, questions, request);
  if (after) {
    rules::Verified verified = rules::verify(report.plan, before, *after, failed);
    report.findings = std::move(verified.findings);
    report.proof = verified.proof;
  } else {
    report.plan.missing.push_back(after.error());
    report.notes.push_back("what was opened could not be verified");
    report.plan.tainted = true;
  }
}

// Puts stand-ins where kernels are missing that calls may need.
void explain_missing(rules::Report& report, const rules::DispatcherState& before, const rules::Request& request) {
  const auto absent = rules::absent_kernels(report, before, request);
  if (absent.empty()) return;
  if (const auto failed = stand_in(*report.torch, absent, request)) {
    report.notes.push_back("calls for missing kernels are left to torch's own words: " + to_text(*failed));
  }
}

Result<rules::Report> run(const Options& options, const Opener& open) {
  const std::optional<Reason> torch_failed = bring_torch(options, open);
  auto prepared = prepare(options, Foreign::kLeftAlone);
  if (!prepared) return prepared.error();
  rules::Report report = std::move(prepared->report);
  report.applied = true;
  if (torch_failed) {
    report.plan.missing.push_back(*torch_failed);
  } else if (const auto reason = no_torch_to_load_into(report.torch)) {
    report.plan.missing.push_back(*reason);
  }
  if (!report.plan.missing.empty()) return report;
  if (const auto met = rules::stand_ins_met(report.plan, prepared->standing); !met.empty()) {
    if (const auto failed = stand_aside(*report.torch, met, options.request)) report.plan.missing.push_back(*failed);
    if (!report.plan.missing.empty()) return report;
  }
  report.outcomes = apply(report.plan, prepared->before, options.request, *report.torch, open);
  verify_load(report, prepared->before, options.request);
  explain_missing(report, prepared->before, options.request);
  return report;
}

void log_report(const rules::Report& report) {
  for (const rules::Verdict& file : report.plan.files) {
    if (file.kind != rules::VerdictKind::kRejected) continue;
    const LogLevel level = rules::is_harmless(file) ? LogLevel::kInfo : LogLevel::kWarn;
    for (const Reason& reason : file.reasons) log(level, printable(file.file.path) + ": " + to_text(reason));
  }
  for (const rules::OpenOutcome& outcome : report.outcomes) {
    const std::string& path = report.plan.files[outcome.file].file.path;
    if (outcome.reason) log(LogLevel::kError, printable(path) + ": " + to_text(*outcome.reason));
  }
  for (const rules::Finding& finding : report.findings) {
    log(LogLevel::kError, printable(finding.file) + ": " + to_text(finding.reason));
  }
  for (const Reason& reason : report.plan.missing) log(LogLevel::kError, to_text(reason));
  if (!is_heard(LogLevel::kInfo)) return;
  std::size_t here = 0;
  for (const std::size_t file : report.plan.order) here += rules::is_in_process(report, file) ? 1 : 0;
  log(LogLevel::kInfo, std::to_string(here) + " libraries, fingerprint " + rules::fingerprint(report));
  log(LogLevel::kInfo, rules::to_text(report, rules::Detail::kLoad));
}

Result<Answer> try_to_load(const Result<Options>& options, const Opener& open, std::optional<rules::Report>& kept) {
  if (!options) return options.error();
  if (options->host) {
    return Reason{Code::kBadOption, "host", "nothing: a load is for this machine", "the facts of a machine",
                  "ask for a plan instead"};
  }
  try {
    auto report = run(*options, open);
    if (!report) return report.error();
    kept = std::move(*report);
    log_report(*kept);
    return report_answer(*kept, rules::Detail::kLoad, rules::succeeded(*kept) ? kFine : kCannotLoad);
  } catch (const std::exception& error) {
    return error_answer({Code::kInternalError, "the loader", "", error.what(), ""}, kCannotLoad);
  }
}

void add_note(Answer& answer, const std::string& note) {
  if (auto* notes = answer.json.if_contains("notes")) notes->as_array().emplace_back(valid_utf8(note));
  std::string text = text_of(answer);
  if (!text.ends_with('\n')) text += '\n';
  answer.json["text"] = text + "note: " + printable(note) + "\n";
}

// Tells, writes and keeps what came of a load, a fault too.
void conclude(Result<Answer>& answer, std::optional<rules::Report> report, const std::string& report_file) {
  Answer told = answer ? *answer : error_answer(answer.error(), kCannotLoad);
  if (told.json.contains("error")) log(LogLevel::kError, text_of(told));
  if (const auto failed = report_file.empty() ? std::nullopt : write_report(report_file, told)) {
    log(LogLevel::kWarn, printable(*failed));
    add_note(told, *failed);
    if (answer) answer = told;
  }
  keep_last(std::move(told), std::move(report));
}

}  // namespace

Result<Answer> load(const Result<Options>& options, const Opener& open) {
  const Turn turn;
  const Loading loading;
  if (!loading.outermost()) {
    return Reason{Code::kBadOption, "the call", "a call from outside a load", "a call from within one",
                  "a plugin's constructor must not call the loader"};
  }
  std::optional<rules::Report> report;
  auto answer = try_to_load(options, open, report);
  conclude(answer, std::move(report), options ? options->report_file : variable("MYOPS_REPORT").value_or(""));
  return answer;
}

}  // namespace myops::system
