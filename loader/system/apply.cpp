#include "loader/system/apply.h"

#include <algorithm>
#include <string>

#include "loader/printable.h"
#include "loader/system/log.h"
#include "loader/system/mapped.h"

namespace myops::system {
namespace {

std::optional<Reason> open_checked(const rules::Verdict& verdict, const rules::TorchFacts& torch, const Opener& open) {
  if (auto changed = changed_since(verdict.file)) return changed;
  if (verdict.manifest && verdict.manifest->cuda && !find_by_name(mapped_libraries(), "libc10_cuda.so")) {
    if (auto failed = open(torch.lib_dir + "/libc10_cuda.so")) return failed;
  }
  log(LogLevel::kDebug, "opening " + printable(verdict.file.real_path));
  if (auto failed = open(verdict.file.real_path)) return failed;
  return replaced_since(verdict.file);
}

}  // namespace

std::optional<Reason> open_torch(const rules::TorchFacts& torch, const Opener& open) {
  for (const char* name : {"libc10.so", "libtorch_cpu.so"}) {
    log(LogLevel::kDebug, "opening " + printable(torch.lib_dir) + "/" + name);
    if (auto failed = open(torch.lib_dir + "/" + name)) return failed;
  }
  return std::nullopt;
}

std::vector<rules::OpenOutcome> apply(rules::LoadPlan& plan, const rules::DispatcherState& before,
                                      const rules::Request& request, const rules::TorchFacts& torch,
                                      const Opener& open) {
  std::vector<rules::OpenOutcome> outcomes;
  rules::Failures failed;
  for (const std::size_t index : plan.order) {
    rules::OpenOutcome outcome;
    outcome.file = index;
    outcome.already = std::find(plan.already.begin(), plan.already.end(), index) != plan.already.end();
    if (!outcome.already) {
      outcome.reason = rules::fault_without(plan, before, request, failed, index);
      if (!outcome.reason) outcome.reason = open_checked(plan.files[index], torch, open);
      outcome.opened = !outcome.reason;
    }
    if (outcome.reason) failed.emplace(index, *outcome.reason);
    outcomes.push_back(std::move(outcome));
  }
  if (!failed.empty()) rules::revise(plan, before, request, failed);
  return outcomes;
}

}  // namespace myops::system
