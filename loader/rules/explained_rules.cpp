#include <set>

#include "loader/rules/dispatch_keys.h"
#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"

namespace myops::rules {
namespace {

// Would a kernel on `key` come to lie on, or behind, a stand-in on `explained`?
bool meets(const std::string& key, const std::string& explained) {
  if (explained == "Autograd") return is_autograd_key(key);
  return key == explained || is_composite_key(key);
}

}  // namespace

std::vector<Reason> explained_faults(const PlanDraft& draft, const Manifest& manifest) {
  std::set<std::string> operators, keys;
  for (const auto& [op, explained] : draft.before().explained) {
    for (const auto& [key, records] : manifest.kernels) {
      if (!records.contains(op) || !meets(key, explained)) continue;
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
