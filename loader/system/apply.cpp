#include "loader/system/apply.h"

#include <algorithm>
#include <set>
#include <string>

#include "loader/printable.h"
#include "loader/rules/schema_text.h"
#include "loader/system/log.h"
#include "loader/system/mapped.h"

namespace myops::system {
namespace {

class Application {
 public:
  Application(const rules::TorchFacts& torch, const Opener& open) : torch_(torch), open_(open) {}

  std::optional<Reason> open(const rules::Verdict& verdict) {
    auto reason = undefined_by_failure(verdict);
    if (!reason) reason = open_checked(verdict);
    if (reason && verdict.manifest) {
      for (const std::string& schema : verdict.manifest->defines) undefined_.insert(rules::operator_of(schema));
    }
    return reason;
  }

 private:
  std::optional<Reason> undefined_by_failure(const rules::Verdict& verdict) const {
    if (!verdict.manifest) return std::nullopt;
    for (const auto& [key, operators] : verdict.manifest->kernels) {
      for (const auto& [op, record] : operators) {
        if (!undefined_.contains(op)) continue;
        return Reason{Code::kSchemaMissing, op, "", "its library could not be opened", ""};
      }
    }
    return std::nullopt;
  }

  std::optional<Reason> open_checked(const rules::Verdict& verdict) {
    if (auto changed = changed_since(verdict.file)) return changed;
    if (verdict.manifest && verdict.manifest->cuda && !find_by_name(mapped_libraries(), "libc10_cuda.so")) {
      if (auto failed = open_(torch_.lib_dir + "/libc10_cuda.so")) return failed;
    }
    log(LogLevel::kDebug, "opening " + printable(verdict.file.real_path));
    return open_(verdict.file.real_path);
  }

  const rules::TorchFacts& torch_;
  const Opener& open_;
  std::set<std::string> undefined_;  // operators of libraries that failed
};

}  // namespace

std::optional<Reason> open_torch(const rules::TorchFacts& torch, const Opener& open) {
  for (const char* name : {"libc10.so", "libtorch_cpu.so"}) {
    log(LogLevel::kDebug, "opening " + printable(torch.lib_dir) + "/" + name);
    if (auto failed = open(torch.lib_dir + "/" + name)) return failed;
  }
  return std::nullopt;
}

std::vector<rules::OpenOutcome> apply(const rules::LoadPlan& plan, const rules::TorchFacts& torch, const Opener& open) {
  std::vector<rules::OpenOutcome> outcomes;
  Application application(torch, open);
  for (const std::size_t index : plan.order) {
    rules::OpenOutcome outcome;
    outcome.file = index;
    outcome.already = std::find(plan.already.begin(), plan.already.end(), index) != plan.already.end();
    if (!outcome.already) {
      outcome.reason = application.open(plan.files[index]);
      outcome.opened = !outcome.reason;
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace myops::system
