#include "loader/rules/absent.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "loader/rules/choice.h"
#include "loader/rules/dispatch_keys.h"
#include "loader/rules/listing.h"
#include "loader/rules/report.h"
#include "loader/rules/schema_text.h"

namespace myops::rules {
namespace {

using Keys = std::set<std::string_view>;

// For these torch tells whether a kernel is there at all; a stand-in on any other key would change what it decides.
constexpr std::string_view kOthersDevice = "PrivateUse1";
constexpr const char* kDevices[] = {"CPU", "CUDA", "PrivateUse1"};
constexpr std::size_t kShown = 3;

// In the process, as the file is that was looked at.
bool is_known_here(const Report& report, std::size_t file) {
  return is_in_process(report, file) && !report.plan.files[file].file.replaced;
}

bool has_kernel(const Manifest& manifest, const std::string& op, const std::function<bool(const std::string&)>& fits) {
  return std::any_of(manifest.kernels.begin(), manifest.kernels.end(),
                     [&](const auto& kernels) { return fits(kernels.first) && kernels.second.contains(op); });
}

const Reason* first_fault(const Report& report, std::size_t file) {
  const Verdict& verdict = report.plan.files[file];
  if (const OpenOutcome* outcome = outcome_of(report, file); outcome && outcome->reason) return &*outcome->reason;
  for (const Finding& finding : report.findings) {
    if (finding.file == verdict.file.path) return &finding.reason;
  }
  return verdict.reasons.empty() ? nullptr : &verdict.reasons.front();
}

// "libmyops_cuda.so was not loaded (no-gpu: needs an NVIDIA GPU)"
std::string fate_of(const Report& report, std::size_t file) {
  const Reason* fault = first_fault(report, file);
  return file_name(report.plan.files[file].file.path) +
         (is_in_process(report, file) ? " is loaded without it" : " was not loaded") +
         (fault ? " (" + to_text(*fault) + ")" : "");
}

// What became of those that would have the kernel.
std::string fates(const Report& report, const std::string& op, const std::function<bool(const std::string&)>& fits) {
  std::vector<std::string> told;
  std::size_t more = 0;
  for (std::size_t file = 0; file < report.plan.files.size(); ++file) {
    const auto& manifest = report.plan.files[file].manifest;
    if (!manifest || !has_kernel(*manifest, op, fits)) continue;
    if (told.size() < kShown)
      told.push_back(fate_of(report, file));
    else
      ++more;
  }
  return joined(told, "; ") + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

bool computes(std::string_view key) {
  return (is_backend_key(key) && key != "Meta") || key == "CompositeImplicitAutograd";
}

// Operators that libraries in the process define or have kernels for, with the keys that have kernels now. Of what was
// replaced on disk since it was opened nothing is known.
std::map<std::string, Keys> keys_of_own(const Report& report, const DispatcherState& before) {
  std::map<std::string, Keys> keys_of;
  for (const std::string& op : defined_operators(report)) keys_of[op];
  for (const std::size_t file : report.plan.order) {
    const auto& manifest = report.plan.files[file].manifest;
    if (!manifest || !is_known_here(report, file)) continue;
    for (const auto& [key, operators] : manifest->kernels) {
      for (const auto& [op, record] : operators) {
        if (keys_of.contains(op) || before.schemas.contains(op)) keys_of[op].insert(key);
      }
    }
  }
  for (auto& [op, keys] : keys_of) keys.merge(before.keys_of(op));
  std::erase_if(keys_of, [](const auto& op) { return is_of_torch(op.first); });
  return keys_of;
}

bool is_provided(const Report& report, const std::string& op, const std::string& key) {
  return std::any_of(report.plan.files.begin(), report.plan.files.end(), [&](const Verdict& verdict) {
    return verdict.manifest &&
           has_kernel(*verdict.manifest, op, [&](const std::string& holder) { return key_covers(holder, key); });
  });
}

bool any_of(const Keys& keys, bool (*condition)(std::string_view)) {
  return std::any_of(keys.begin(), keys.end(), condition);
}

// A device's kernels that are not made of other operators' calls.
bool is_own_device(std::string_view key) { return is_backend_key(key) && !is_composite_key(key) && key != "Meta"; }

}  // namespace

std::string absent_text(const Report& report, const std::string& op, const std::string& key) {
  const bool is_gradient = is_autograd_key(key);
  const std::string lead = op + (is_gradient ? " passes no gradient on" : " has no " + key + " kernel") + ": ";
  std::string told = fates(report, op, [&](const std::string& holder) { return key_covers(holder, key); });
  if (told.empty() && !is_gradient) {
    told = fates(report, op, [](const std::string& holder) { return is_composite_key(holder); });
  }
  if (!told.empty()) return lead + told;
  return lead + "no library with " + (is_gradient ? "its Autograd kernel" : "one") + " was found" +
         (report.folders.empty() ? "" : " in " + listed(report.folders));
}

std::vector<AbsentKernel> absent_kernels(const Report& report, const DispatcherState& before, const Request& request) {
  std::vector<AbsentKernel> absent;
  if (request.explain == Explain::kNothing) return absent;
  for (const auto& [op, keys] : keys_of_own(report, before)) {
    // What something computed before this load may be running.
    const bool is_free = request.quiescent || !any_of(before.keys_of(op), computes);
    const auto add = [&, name = op](const std::string& key) {
      if (!is_free && !before.explained.contains({name, key})) return;
      absent.push_back({name, key, absent_text(report, name, key)});
    };
    const bool is_implicit = keys.contains("CompositeImplicitAutograd");
    if (request.explain == Explain::kAll && !is_implicit && !any_of(keys, is_composite_key)) {
      for (const char* device : kDevices) {
        // A device of others may have a fallback for all operators: only where a library would serve it.
        const bool is_known = device != kOthersDevice || is_provided(report, op, device);
        if (!keys.contains(device) && is_known) add(device);
      }
    }
    if (any_of(keys, is_own_device) && !is_implicit && !any_of(keys, is_autograd_key)) add("Autograd");
  }
  return absent;
}

bool meets_stand_in(const std::string& key, const std::string& explained) {
  if (explained == "Autograd") return is_autograd_key(key);
  return key == explained || is_composite_key(key);
}

std::vector<AbsentKernel> stand_ins_met(const LoadPlan& plan,
                                        const std::set<std::pair<std::string, std::string>>& explained) {
  std::vector<AbsentKernel> met;
  for (const auto& [op, key] : explained) {
    const bool is_met =
        std::any_of(plan.order.begin(), plan.order.end(), [&, name = op, place = key](std::size_t file) {
          const bool is_new = std::find(plan.already.begin(), plan.already.end(), file) == plan.already.end();
          const auto& manifest = plan.files[file].manifest;
          return is_new && manifest &&
                 has_kernel(*manifest, name, [&](const std::string& holder) { return meets_stand_in(holder, place); });
        });
    if (is_met) met.push_back({op, key, ""});
  }
  return met;
}

std::vector<std::string> defined_operators(const Report& report) {
  std::vector<std::string> operators;
  for (const std::size_t file : report.plan.order) {
    const auto& manifest = report.plan.files[file].manifest;
    if (!manifest || !is_known_here(report, file)) continue;
    for (const std::string& schema : manifest->defines) operators.emplace_back(operator_of(schema));
  }
  return operators;
}

std::vector<std::string> served_by_composite(const Report& report) {
  // Sets of the files that are, or are not, in the process and serve something.
  const auto sets = [&](bool in_process, const std::function<bool(const Manifest&)>& serves_it) {
    std::set<std::string> found;
    for (std::size_t file = 0; file < report.plan.files.size(); ++file) {
      const auto& manifest = report.plan.files[file].manifest;
      if (manifest && is_in_process(report, file) == in_process && serves_it(*manifest)) found.insert(manifest->set);
    }
    return found;
  };
  const auto composite = sets(true, [](const Manifest& manifest) { return manifest.has_key(is_composite_key); });
  std::vector<std::string> devices;
  for (const char* device : kDevices) {
    const auto serves_it = [&](const Manifest& manifest) { return serves(manifest, device); };
    const auto left_out = sets(false, serves_it), there = sets(true, serves_it);
    if (std::any_of(composite.begin(), composite.end(),
                    [&](const std::string& set) { return left_out.contains(set) && !there.contains(set); })) {
      devices.emplace_back(device);
    }
  }
  return devices;
}

}  // namespace myops::rules
