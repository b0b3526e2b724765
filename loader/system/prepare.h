// A survey and the plan made of it: what would be loaded into this process as it is now, or with Options::host into a
// new one on that machine. Opens no candidate.
#pragma once

#include <set>

#include "loader/reason.h"
#include "loader/rules/report.h"
#include "loader/system/options.h"
#include "loader/system/survey.h"

namespace myops::system {

struct Prepared {
  rules::Report report;  // with nothing applied yet
  // What torch's dispatcher holds of what the surveyed libraries are about; empty where no torch is mapped.
  rules::DispatcherState before;
  // Where stand-ins are, that will stand aside for the plan: not in `before`, where the request says that nothing runs.
  std::set<rules::DispatcherState::OpKey> standing;
};

// Where torch is mapped and its dispatcher cannot be asked, nothing that would be loaded can be judged against what it
// holds, nor proven afterwards: report.plan.missing says why. Errors: those of survey().
Result<Prepared> prepare(const Options& options, Foreign foreign);

}  // namespace myops::system
