// Compares what the files in the plan promised with what the dispatcher holds.
#include <algorithm>
#include <set>

#include "loader/rules/plan.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

using OpKey = DispatcherState::OpKey;

constexpr const char* kNothing = "nothing";
constexpr const char* kHint = "call nothing of it, and report this with the output of `myops doctor`";

bool contains(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

// Where the file was replaced since it was opened, its manifest is not that of the code in this process.
bool has_promised(const Verdict& verdict) { return verdict.manifest && !verdict.file.replaced; }

std::string registration(const DispatcherState& state, const OpKey& op_key) {
  const std::string* kernel = state.kernel(op_key.first, op_key.second);
  return kernel == nullptr ? kNothing : *kernel;
}

class Verification {
 public:
  Verification(const DispatcherState& before, const DispatcherState& after) : before_(before), after_(after) {}

  void check(const Verdict& verdict, bool was_loaded) {
    file_ = verdict.file.path;
    const Manifest& manifest = *verdict.manifest;
    for (const std::string& schema : manifest.defines) check_definition(schema);
    for (const auto& [key, operators] : manifest.kernels) {
      for (const auto& [op, record] : operators) check_kernel({op, key}, record, was_loaded);
    }
    for (const std::string& key : manifest.fallbacks) {
      if (!contains(after_.fallbacks, key))
        add({Code::kKernelNotRegistered, "the fallback on " + key, "", kNothing, ""});
    }
    check_dangling(manifest);
  }

  void pass_over() { verified_.proof.complete = false; }
  Verified take() { return std::move(verified_); }

 private:
  void add(Reason reason) { verified_.findings.push_back({file_, std::move(reason)}); }

  void check_definition(const std::string& schema) {
    const std::string op(operator_of(schema));
    const auto defined = after_.schemas.find(op);
    const std::string found = defined == after_.schemas.end() ? kNothing : defined->second;
    if (found != schema) return add({Code::kKernelNotRegistered, op, schema, found, kHint});
    ++verified_.proof.operators;
  }

  void check_kernel(const OpKey& op_key, const KernelRecord& record, bool was_loaded) {
    const std::string found = registration(after_, op_key);
    if (found == record.registered) {
      ++verified_.proof.kernels;
    } else if (was_loaded && found != kNothing && found == registration(before_, op_key)) {
      // What others put over a kernel after it was loaded is their affair; this load did not change it.
      pass_over();
    } else {
      add({Code::kKernelNotRegistered, op_key.first + " on " + op_key.second, record.registered, found, kHint});
    }
  }

  void check_dangling(const Manifest& manifest) {
    std::set<std::string> dangling;
    for (const auto& [key, operators] : manifest.kernels) {
      for (const auto& [op, record] : operators) {
        if (contains(after_.dangling, op)) dangling.insert(op);
      }
    }
    for (const std::string& op : dangling) {
      add({Code::kSchemaMissing, op, "a schema library", "kernels without a schema in the dispatcher",
           "the kernels cannot be called; is the name spelt as in the schema?"});
    }
  }

  const DispatcherState& before_;
  const DispatcherState& after_;
  std::string file_;
  Verified verified_;
};

}  // namespace

Verified verify(const LoadPlan& plan, const DispatcherState& before, const DispatcherState& after,
                const std::set<std::size_t>& failed) {
  Verification verification(before, after);
  for (const std::size_t file : plan.order) {
    if (failed.contains(file)) continue;
    const Verdict& verdict = plan.files[file];
    const bool was_loaded = std::find(plan.already.begin(), plan.already.end(), file) != plan.already.end();
    if (has_promised(verdict)) {
      verification.check(verdict, was_loaded);
    } else {
      verification.pass_over();
    }
  }
  return verification.take();
}

std::vector<OpKey> promised(const LoadPlan& plan, const std::set<std::size_t>& failed) {
  std::set<OpKey> pairs;
  for (const std::size_t file : plan.order) {
    if (failed.contains(file) || !has_promised(plan.files[file])) continue;
    for (const std::string& schema : plan.files[file].manifest->defines)
      pairs.emplace(std::string(operator_of(schema)), "");
    for (const auto& [key, operators] : plan.files[file].manifest->kernels) {
      for (const auto& [op, record] : operators) pairs.emplace(op, key);
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace myops::rules
