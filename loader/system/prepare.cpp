#include "loader/system/prepare.h"

#include <string>
#include <utility>
#include <vector>

#include "loader/system/bridge.h"
#include "loader/system/turn.h"

namespace myops::system {
namespace {

Result<rules::DispatcherState> ask_dispatcher(Survey& survey, const Options& options) {
  const auto& torch = survey.examiner.torch();
  if (!torch || !torch->mapped) return rules::DispatcherState{};
  return snapshot(*torch, questions_about(survey.verdicts), options.request, &survey.examiner);
}

}  // namespace

Result<Prepared> prepare(const Options& options, Foreign foreign) {
  auto looked = survey(options, Scope::kSearchPath, foreign);
  if (!looked) return looked.error();
  Prepared prepared;
  const Turn turn;  // no load comes between the two
  auto before = ask_dispatcher(*looked, options);
  if (before) prepared.before = std::move(*before);
  if (options.request.quiescent) prepared.standing = std::exchange(prepared.before.explained, {});
  const auto mapped = options.host ? std::vector<std::string>() : find_mapped(looked->verdicts);
  auto plan = rules::make_plan(std::move(looked->verdicts), prepared.before, options.request, mapped);
  if (!before && !plan.order.empty()) plan.missing.push_back(before.error());
  prepared.report = make_report(std::move(*looked), std::move(plan));
  return prepared;
}

}  // namespace myops::system
