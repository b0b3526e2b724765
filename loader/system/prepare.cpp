#include "loader/system/prepare.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loader/system/bridge.h"
#include "loader/system/mapped.h"
#include "loader/system/turn.h"

namespace myops::system {
namespace {

// Those that are in this process, whoever opened them: they are not opened again. The linker, too, knows a file by
// device and inode.
std::vector<std::string> real_paths_of_mapped(std::vector<rules::Verdict>& verdicts) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, bool> mapped;  // → replaced since
  for (const MappedLibrary& library : read_mapped_libraries()) {
    if (library.inode != 0) mapped[{library.device, library.inode}] |= library.replaced;
  }
  std::vector<std::string> paths;
  for (rules::Verdict& verdict : verdicts) {
    const auto found = mapped.find({verdict.file.device, verdict.file.inode});
    if (found == mapped.end()) continue;
    paths.push_back(verdict.file.real_path);
    verdict.file.replaced |= found->second;
  }
  return paths;
}

Result<rules::DispatcherState> ask_dispatcher(Survey& survey, const Options& options) {
  const auto& torch = survey.examiner.torch();
  if (!torch || !torch->mapped) return rules::DispatcherState{};
  // The bridge runs here, whatever machine the plan is for.
  Examiner* around = options.host ? nullptr : &survey.examiner;
  return snapshot(*torch, questions_about(survey.verdicts), options.request, around);
}

}  // namespace

Result<Prepared> prepare(const Options& options, Foreign foreign) {
  auto looked = survey(options, Scope::kSearchPath, foreign);
  if (!looked) return looked.error();
  Prepared prepared;
  const Turn turn;  // no load comes between the two
  auto before = ask_dispatcher(*looked, options);
  if (before) prepared.before = std::move(*before);
  const auto mapped = real_paths_of_mapped(looked->verdicts);
  auto plan = rules::make_plan(std::move(looked->verdicts), prepared.before, options.request, mapped);
  if (!before && !plan.order.empty()) plan.missing.push_back(before.error());
  prepared.report = make_report(std::move(*looked), std::move(plan));
  return prepared;
}

}  // namespace myops::system
