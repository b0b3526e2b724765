#include <boost/json/array.hpp>
#include <string>

#include "loader/check_family.h"
#include "loader/printable.h"
#include "loader/rules/planned_table.h"
#include "loader/system/bridge.h"
#include "loader/system/folders.h"
#include "loader/system/look.h"
#include "loader/system/prepare.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

boost::json::value bridge_of(const std::optional<rules::TorchFacts>& torch) {
  if (!torch) return nullptr;
  const auto path = find_bridge(*torch);
  return path ? boost::json::value(*path) : rules::to_json(path.error());
}

// What was asked about each file, and the reasons that an answer can have.
boost::json::array checks() {
  boost::json::array families;
  for (const CheckFamily& family : check_families()) {
    boost::json::array codes;
    for (const Code code : family.codes) {
      codes.push_back({{"code", token(code)}, {"meaning", meaning(code)}, {"harmless", is_harmless(code)}});
    }
    families.push_back({{"family", family.token}, {"question", family.question}, {"codes", std::move(codes)}});
  }
  return families;
}

}  // namespace

Result<Answer> doctor(const Options& options) {
  const auto prepared = prepare(with_driver(options), Foreign::kResolved);
  if (!prepared) return prepared.error();
  const rules::Report& report = prepared->report;
  Answer answer{kFine, rules::to_json(report)};
  answer.json["version"] = MYOPS_VERSION;
  answer.json["loader_folder"] = loader_folder();
  answer.json["bridge"] = bridge_of(report.torch);
  answer.json["checks"] = checks();
  answer.json["table"] = rules::planned_table(report.plan);
  boost::json::object environment;
  std::string text = "myops " MYOPS_VERSION " in " + printable(loader_folder()) + "\n";
  for (const auto& [name, value] : set_variables()) {
    environment[name] = value;
    text += "  " + std::string(name) + "=" + printable(value) + "\n";
  }
  answer.json["environment"] = std::move(environment);
  if (report.torch) {
    const auto path = find_bridge(*report.torch);
    text += "bridge: " + (path ? printable(*path) : to_text(path.error())) + "\n";
  }
  text += report.folders.empty() ? "no folder was searched\n" : "searched:\n";
  for (const std::string& folder : report.folders) text += "  " + printable(folder) + "\n";
  answer.json["text"] = text + rules::to_text(report, rules::Detail::kPlan);
  return answer;
}

}  // namespace myops::system
