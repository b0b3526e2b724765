// A survey and the plan made of it: what would be loaded into this process as it is now. Opens no candidate.
#pragma once

#include "loader/reason.h"
#include "loader/rules/report.h"
#include "loader/system/options.h"
#include "loader/system/survey.h"

namespace myops::system {

struct Prepared {
  rules::Report report;  // with nothing applied yet
  rules::DispatcherState
      before;  // what torch's dispatcher holds of the surveyed namespaces; empty where no torch is mapped
};

// Where torch is mapped and its dispatcher cannot be asked, report.plan.notes says why. Errors: those of survey().
Result<Prepared> prepare(const Options& options, Foreign foreign);

}  // namespace myops::system
