#include <set>

#include "loader/rules/absent.h"
#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"

namespace myops::rules {

std::vector<Reason> explained_faults(const PlanDraft& draft, const Manifest& manifest) {
  std::set<std::string> operators, keys;
  for (const auto& [op, explained] : draft.before().explained) {
    for (const auto& [key, records] : manifest.kernels) {
      if (!records.contains(op) || !meets_stand_in(key, explained)) continue;
      operators.insert(op);
      keys.insert(explained);
    }
  }
  if (operators.empty()) return {};
  return {Reason{Code::kNotQuiescent, listed({operators.begin(), operators.end()}), "",
                 "stand-ins on " + listed({keys.begin(), keys.end()}),
                 "install it before the first load, or load with `quiescent` while no operator runs"}};
}

}  // namespace myops::rules
