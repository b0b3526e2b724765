#include "loader/system/look.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "loader/printable.h"
#include "loader/system/gpu.h"
#include "loader/system/host.h"
#include "loader/system/nvml.h"
#include "loader/system/prepare.h"
#include "loader/system/survey.h"
#include "loader/system/torch.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

// NVML answers in some milliseconds, or in seconds where it wakes the devices.
constexpr std::chrono::seconds kDriverLimit{10};

bool would_load(const rules::Verdict& verdict) {
  const bool welcome = verdict.kind == rules::VerdictKind::kUsable || verdict.kind == rules::VerdictKind::kForeign;
  return welcome && verdict.loads.value_or(false);
}

// What `check` was asked, file by file.
std::string outlook(const rules::Verdict& verdict) {
  if (!verdict.loads) return "not to be told, for want of a torch or a readable file";
  if (!*verdict.loads) return "would not load";
  return would_load(verdict) ? "would load" : "could be opened, but is refused";
}

std::string outlook_text(const std::vector<rules::Verdict>& files) {
  std::map<std::string, std::string> paths;
  for (const rules::Verdict& file : files) paths[outlook(file)] += "  " + printable(file.file.path) + "\n";
  std::string text;
  for (const auto& [words, lines] : paths) text += "\n" + words + ":\n" + lines;
  return text;
}

}  // namespace

Result<Answer> list(const Options& options) {
  const auto prepared = prepare(options, Foreign::kResolved);
  if (!prepared) return prepared.error();
  return report_answer(prepared->report, rules::Detail::kList, kFine);
}

Result<Answer> check(const Options& options) {
  if (options.files.empty()) return Reason{Code::kBadOption, "files", "one or more files", "none", ""};
  auto looked = survey(options, Scope::kFiles, Foreign::kResolved);
  if (!looked) return looked.error();
  rules::LoadPlan judged;
  judged.files = std::move(looked->verdicts);
  const bool all = std::all_of(judged.files.begin(), judged.files.end(), would_load);
  const std::string summary = outlook_text(judged.files);
  Answer answer = report_answer(make_report(std::move(*looked), std::move(judged)), rules::Detail::kList,
                                all ? kFine : kCannotLoad);
  answer.json["text"] = text_of(answer) + summary;
  answer.json["succeeded"] = all;
  return answer;
}

Options with_driver(const Options& options) {
  Options asked = options;
  const bool has_gpu =
      !options.host && !options.helper.empty() && !read_gpus("", variable("CUDA_VISIBLE_DEVICES")).gpus.empty();
  if (!has_gpu) return asked;
  auto driver = ask_driver(options.helper, kDriverLimit);
  if (driver) asked.driver = std::move(*driver);
  if (!driver) {
    asked.notes.push_back("the compute capability of the GPUs is not known: " + to_text(driver.error()));
  }
  return asked;
}

Result<Answer> plan(const Options& options) {
  const auto prepared = prepare(with_driver(options), Foreign::kLeftAlone);
  if (!prepared) return prepared.error();
  const Status status = prepared->report.plan.missing.empty() ? kFine : kCannotLoad;
  return report_answer(prepared->report, rules::Detail::kPlan, status);
}

Result<Answer> facts(const Options& options) {
  const Options asked = with_driver(options);
  const rules::HostFacts host = options.host ? *options.host : read_host(asked.driver);
  Answer answer{kFine, rules::to_json(host)};
  const auto torch = choose_torch(options.request.torch_dir);
  if (!torch) return torch.error();
  if (torch->torch) answer.json["torch"] = rules::to_host_json(*torch->torch);
  boost::json::array notes;
  for (std::size_t i = options.notes.size(); i < asked.notes.size(); ++i)
    notes.emplace_back(valid_utf8(asked.notes[i]));
  if (!notes.empty()) answer.json["notes"] = std::move(notes);
  answer.json["text"] = dump(answer.json);
  return answer;
}

}  // namespace myops::system
