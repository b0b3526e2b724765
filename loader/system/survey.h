// The looking half of the pipeline: machine, torch, candidates, and a verdict on each. Opens no candidate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/reason.h"
#include "loader/rules/report.h"
#include "loader/system/bridge.h"
#include "loader/system/evidence.h"
#include "loader/system/options.h"

namespace myops::system {

struct Survey {
  Examiner examiner;  // of the machine and the torch that were looked at, with what was read of this process
  std::vector<std::string> folders;
  std::vector<Reason> folder_notes;
  std::vector<std::string> notes;
  std::vector<rules::Verdict> verdicts;
};

// Who is asked about: everything in the search path, or the files that the options name.
enum class Scope { kSearchPath, kFiles };
// Whether it is worked out if files without a manifest would load. A load needs no such answer: it leaves them alone.
enum class Foreign { kResolved, kLeftAlone };

// Errors: torch-not-found, where the options name a torch that is none.
Result<Survey> survey(const Options& options, Scope scope, Foreign foreign);

// Real paths of those that are in this process, whoever opened them. Marks those whose file was replaced since.
std::vector<std::string> find_mapped(std::vector<rules::Verdict>& verdicts);

// What torch's dispatcher is to be asked about the surveyed libraries: the operators that they define or have kernels
// for, and the library blocks of their namespaces. Of torch's own operators only the kernels that they have.
SnapshotRequest questions_about(const std::vector<rules::Verdict>& verdicts);

// The report of a survey and its plan, with nothing applied yet.
rules::Report make_report(Survey survey, rules::LoadPlan plan);

}  // namespace myops::system
