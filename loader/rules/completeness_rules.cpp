// Without a kernel on ADInplaceOrView a write goes past autograd's version counters, and a view past its view tracking:
// gradients are then wrong without a word. Composite kernels are made of operators that have all that.
#include <set>

#include "loader/rules/dispatch_keys.h"
#include "loader/rules/listing.h"
#include "loader/rules/plan_rules.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

constexpr const char* kGuard = "ADInplaceOrView";

bool has_key(const PlanDraft& draft, const std::string& op, const std::string& key) {
  const auto keys = draft.keys_of_operators().find(op);
  return keys != draft.keys_of_operators().end() && keys->second.contains(key);
}

// The schema that counts is the one that is defined; the library's own copy stands in where that is not known.
std::string_view schema_for(const PlanDraft& draft, const std::string& op, const KernelRecord& record) {
  const auto* definition = draft.definition(op);
  return definition ? definition->schema : record.schema;
}

}  // namespace

std::vector<std::string> unguarded_operators(const PlanDraft& draft, const Manifest& manifest) {
  std::set<std::string> unguarded;
  for (const auto& [key, operators] : manifest.kernels) {
    if (!is_backend_key(key) || is_composite_key(key)) continue;
    for (const auto& [op, record] : operators) {
      if (is_of_torch(op)) continue;  // it brings that kernel itself
      if (alias_marks(schema_for(draft, op, record)).aliases && !has_key(draft, op, kGuard)) unguarded.insert(op);
    }
  }
  return {unguarded.begin(), unguarded.end()};
}

std::vector<Reason> completeness_faults(const PlanDraft& draft, std::size_t file) {
  const auto& manifest = draft.files()[file].manifest;
  if (!manifest || draft.has_unknown_content()) return {};
  const auto operators = unguarded_operators(draft, *manifest);
  if (operators.empty()) return {};
  const auto refused = refused_candidates(draft, [&](const Manifest& other) {
    const auto kernels = other.kernels.find(kGuard);
    return kernels != other.kernels.end() && kernels->second.contains(operators.front());
  });
  return {Reason{Code::kInplaceOrViewMissing, listed(operators), kGuard, joined(refused),
                 "install the library with these kernels, or write it; or load with allow_incomplete and without "
                 "gradients through them"}};
}

}  // namespace myops::rules
