// A set of manifests, one behind the other with a NUL between them: judged, planned and reported, with nobody in the
// process and with the first half of them there already.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loader/rules/plan.h"
#include "loader/rules/report.h"
#include "tests/fuzz/target.h"
#include "tests/loader/rules/samples.h"

namespace myops::fuzz {
namespace {

using rules::LoadPlan;
using rules::Verdict;
using rules::VerdictKind;

constexpr std::size_t kMostLibraries = 24;

std::vector<Verdict> judge_all(std::string_view texts) {
  std::vector<Verdict> verdicts;
  while (verdicts.size() < kMostLibraries) {
    const std::size_t end = std::min(texts.find('\0'), texts.size());
    rules::Evidence evidence = rules::samples::foreign_evidence("x" + std::to_string(verdicts.size()));
    const Result<rules::Manifest> manifest = rules::parse_manifest(texts.substr(0, end));
    if (manifest) evidence.manifest = *manifest;
    if (!manifest) evidence.manifest_error = manifest.error();
    verdicts.push_back(rules::judge(std::move(evidence), rules::samples::gpu_host(), rules::samples::torch(), {}));
    if (end == texts.size()) break;
    texts.remove_prefix(end + 1);
  }
  return verdicts;
}

// Nothing that ends the process, or is decided by the order of opening, is planned.
void check(const LoadPlan& plan) {
  std::set<std::size_t> opened;
  std::set<std::string> libraries, operators;
  std::set<std::pair<std::string, std::string>> kernels;
  for (const std::size_t file : plan.order) {
    require(file < plan.files.size() && opened.insert(file).second, "a file is planned once");
    const Verdict& verdict = plan.files[file];
    require(verdict.kind == VerdictKind::kUsable && verdict.reasons.empty(), "what is planned is usable");
    for (const std::string& library : verdict.manifest->libraries) {
      require(libraries.insert(library).second, "a namespace has one TORCH_LIBRARY block");
    }
    for (const std::string& schema : verdict.manifest->defines) {
      require(operators.insert(schema.substr(0, schema.find('('))).second, "an operator is defined once");
    }
    for (const auto& [key, records] : verdict.manifest->kernels) {
      for (const auto& [op, record] : records) {
        require(kernels.insert({key, op}).second, "an operator has one kernel for a key");
      }
    }
  }
  for (const Verdict& verdict : plan.files) {
    require(verdict.kind == VerdictKind::kUsable || verdict.kind == VerdictKind::kForeign || !verdict.reasons.empty(),
            "what is left out has a reason");
  }
}

void report(const LoadPlan& plan) {
  rules::Report report;
  report.host = rules::samples::gpu_host();
  report.torch = rules::samples::torch();
  report.plan = plan;
  rules::to_json(report);
  rules::to_text(report, rules::Detail::kPlan);
}

}  // namespace

void read_plan(Input input) {
  const std::vector<Verdict> verdicts = judge_all(text_of(input));
  rules::Request request;
  request.require = {"CPU", "Autograd"};
  const LoadPlan plan = rules::make_plan(verdicts, {}, request, {});
  check(plan);
  report(plan);

  std::vector<std::string> there;
  for (std::size_t i = 0; i < plan.order.size() / 2; ++i) there.push_back(plan.files[plan.order[i]].file.real_path);
  report(rules::make_plan(verdicts, {}, request, there));
}

}  // namespace myops::fuzz
