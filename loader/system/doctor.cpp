#include <cstdlib>
#include <string>

#include "loader/printable.h"
#include "loader/system/bridge.h"
#include "loader/system/folders.h"
#include "loader/system/look.h"
#include "loader/system/prepare.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

constexpr const char* kVariables[] = {"MYOPS_PLUGIN_PATH",   "MYOPS_SYSTEM_PLUGIN_PATH",
                                      "MYOPS_TORCH",         "MYOPS_REQUIRE",
                                      "MYOPS_DISABLE",       "MYOPS_REPORT",
                                      "MYOPS_LOG",           "MYOPS_AUTOLOAD",
                                      "VIRTUAL_ENV",         "LD_LIBRARY_PATH",
                                      "LD_PRELOAD",          "PYTHONPATH",
                                      "CUDA_VISIBLE_DEVICES"};

boost::json::object set_variables() {
  boost::json::object values;
  for (const char* name : kVariables) {
    if (const auto value = variable(name)) values[name] = *value;
  }
  return values;
}

boost::json::value bridge_of(const std::optional<rules::TorchFacts>& torch) {
  if (!torch) return nullptr;
  const auto path = find_bridge(*torch);
  return path ? boost::json::value(*path) : rules::to_json(path.error());
}

}  // namespace

Result<Answer> doctor(const Options& options) {
  const auto prepared = prepare(options, Foreign::kResolved);
  if (!prepared) return prepared.error();
  const rules::Report& report = prepared->report;
  Answer answer{kFine, rules::to_json(report)};
  answer.json["version"] = MYOPS_VERSION;
  answer.json["loader_folder"] = loader_folder();
  answer.json["bridge"] = bridge_of(report.torch);
  answer.json["environment"] = set_variables();
  std::string text = "myops " MYOPS_VERSION " in " + printable(loader_folder()) + "\n";
  for (const auto& [name, value] : answer.json["environment"].as_object()) {
    text += "  " + std::string(name) + "=" + printable(value.as_string()) + "\n";
  }
  if (report.torch) {
    const auto path = find_bridge(*report.torch);
    text += "bridge: " + (path ? printable(*path) : to_text(path.error())) + "\n";
  }
  answer.json["text"] = text + rules::to_text(report, rules::Detail::kPlan);
  return answer;
}

}  // namespace myops::system
