#include "loader/system/look.h"

#include <algorithm>
#include <utility>

#include "loader/system/before.h"
#include "loader/system/host.h"
#include "loader/system/survey.h"

namespace myops::system {
namespace {

Result<rules::Report> planned(const Options& options, Foreign foreign) {
  auto looked = survey(options, Scope::kSearchPath, foreign);
  if (!looked) return looked.error();
  const Before before = state_before(*looked);
  auto plan = rules::make_plan(looked->verdicts, before.state, options.request, before.mapped);
  return make_report(std::move(*looked), std::move(plan));
}

bool would_load(const rules::Verdict& verdict) {
  const bool welcome = verdict.kind == rules::VerdictKind::kUsable || verdict.kind == rules::VerdictKind::kForeign;
  return welcome && verdict.loads.value_or(false);
}

}  // namespace

Result<Answer> list(const Options& options) {
  const auto report = planned(options, Foreign::kResolved);
  if (!report) return report.error();
  return report_answer(*report, rules::Detail::kList, kFine);
}

Result<Answer> check(const Options& options) {
  if (options.files.empty()) return Reason{Code::kBadOption, "files", "one or more files", "none", ""};
  auto looked = survey(options, Scope::kFiles, Foreign::kResolved);
  if (!looked) return looked.error();
  rules::LoadPlan judged;
  judged.files = std::move(looked->verdicts);
  const bool all = std::all_of(judged.files.begin(), judged.files.end(), would_load);
  return report_answer(make_report(std::move(*looked), std::move(judged)), rules::Detail::kList,
                       all ? kFine : kCannotLoad);
}

Result<Answer> plan(const Options& options) {
  const auto report = planned(options, Foreign::kResolved);
  if (!report) return report.error();
  return report_answer(*report, rules::Detail::kPlan, report->plan.missing.empty() ? kFine : kCannotLoad);
}

Result<Answer> facts(const Options& options) {
  const rules::HostFacts host = options.host ? *options.host : read_host();
  Answer answer{kFine, rules::to_json(host)};
  answer.json["text"] = dump(answer.json);
  return answer;
}

}  // namespace myops::system
