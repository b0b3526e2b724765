// What this process holds before a load: torch's dispatcher, and the libraries that are mapped.
#pragma once

#include <string>
#include <vector>

#include "loader/rules/plan.h"
#include "loader/system/survey.h"

namespace myops::system {

struct Before {
  rules::DispatcherState state;     // empty where no torch is mapped, or it could not be asked
  std::vector<std::string> mapped;  // real paths of the libraries in this process, whoever opened them
};

// Asks for the namespaces of the surveyed libraries. Where torch is mapped and its dispatcher cannot be asked,
// survey.notes says why.
Before state_before(Survey& survey);

}  // namespace myops::system
