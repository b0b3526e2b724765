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

using Keys = std::set<std::string>;

// For these torch tells whether a kernel is there at all; a stand-in on any other key would change what it decides.
constexpr const char* kDevices[] = {"CPU", "CUDA", "PrivateUse1"};
constexpr std::size_t kShown = 3;

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

// Every operator that a library in the process defines, with the keys that have kernels now.
std::map<std::string, Keys> keys_of_own(const Report& report, const DispatcherState& before) {
  std::map<std::string, Keys> keys_of;
  for (const std::string& op : defined_operators(report)) keys_of[op];
  const auto add = [&](const std::string& op, const std::string& key) {
    if (const auto found = keys_of.find(op); found != keys_of.end()) found->second.insert(key);
  };
  for (const auto& [op_key, text] : before.kernels) add(op_key.first, op_key.second);
  for (const std::size_t file : report.plan.order) {
    const auto& manifest = report.plan.files[file].manifest;
    if (!manifest || !is_in_process(report, file)) continue;
    for (const auto& [key, operators] : manifest->kernels) {
      for (const auto& [op, record] : operators) add(op, key);
    }
  }
  return keys_of;
}

// Operators for which this load registered something.
std::set<std::string> changed_by(const Report& report) {
  std::set<std::string> changed;
  for (const OpenOutcome& outcome : report.outcomes) {
    const auto& manifest = report.plan.files[outcome.file].manifest;
    if (!manifest || !outcome.opened || outcome.already) continue;
    for (const auto& [key, operators] : manifest->kernels) {
      for (const auto& [op, record] : operators) changed.insert(op);
    }
  }
  return changed;
}

bool any_of(const Keys& keys, bool (*condition)(std::string_view)) {
  return std::any_of(keys.begin(), keys.end(), condition);
}

// Devices whose kernels are not made of other operators' calls.
std::vector<std::string> own_devices(const Keys& keys) {
  std::vector<std::string> devices;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(devices),
               [](const std::string& key) { return is_backend_key(key) && !is_composite_key(key) && key != "Meta"; });
  return devices;
}

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
  const std::set<std::string> changed = changed_by(report);
  for (const auto& [op, keys] : keys_of_own(report, before)) {
    const auto add = [&, name = op](const std::string& key, std::vector<std::string> devices) {
      const bool may_run = before.schemas.contains(name) && !changed.contains(name) && !request.quiescent;
      if (may_run && !before.explained.contains({name, key})) return;
      absent.push_back({name, key, std::move(devices), absent_text(report, name, key)});
    };
    const bool is_implicit = keys.contains("CompositeImplicitAutograd");
    if (request.explain == Explain::kAll && !is_implicit && !any_of(keys, is_composite_key)) {
      for (const char* device : kDevices) {
        if (!keys.contains(device)) add(device, {});
      }
    }
    const auto devices = own_devices(keys);
    if (!devices.empty() && !is_implicit && !any_of(keys, is_autograd_key)) add("Autograd", devices);
  }
  return absent;
}

std::vector<std::string> defined_operators(const Report& report) {
  std::vector<std::string> operators;
  for (const std::size_t file : report.plan.order) {
    const auto& manifest = report.plan.files[file].manifest;
    if (!manifest || !is_in_process(report, file)) continue;
    for (const std::string& schema : manifest->defines) operators.push_back(operator_of(schema));
  }
  return operators;
}

std::vector<std::string> served_by_composite(const Report& report) {
  const auto any_file = [&](bool in_process, const std::function<bool(const Manifest&)>& condition) {
    for (std::size_t file = 0; file < report.plan.files.size(); ++file) {
      const auto& manifest = report.plan.files[file].manifest;
      if (manifest && is_in_process(report, file) == in_process && condition(*manifest)) return true;
    }
    return false;
  };
  std::vector<std::string> devices;
  if (!any_file(true, [](const Manifest& manifest) {
        const auto keys = manifest.keys();
        return std::any_of(keys.begin(), keys.end(), is_composite_key);
      })) {
    return devices;
  }
  for (const char* device : kDevices) {
    const auto serves_it = [&](const Manifest& manifest) { return serves(manifest, device); };
    if (any_file(false, serves_it) && !any_file(true, serves_it)) devices.emplace_back(device);
  }
  return devices;
}

}  // namespace myops::rules
