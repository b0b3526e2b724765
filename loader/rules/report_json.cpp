// The report as JSON (docs/design.md §6). Every text in it is valid UTF-8, whatever a file is named.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "loader/printable.h"
#include "loader/rules/report.h"

namespace myops::rules {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReportFormat = 1;

Json texts(const std::vector<std::string>& items) {
  Json array = Json::array();
  for (const std::string& item : items) array.push_back(valid_utf8(item));
  return array;
}

Json reasons_json(const std::vector<Reason>& reasons) {
  Json array = Json::array();
  for (const Reason& reason : reasons) array.push_back(to_json(reason));
  return array;
}

Json manifest_json(const Verdict& verdict) {
  if (!verdict.manifest) return nullptr;
  const Manifest& manifest = *verdict.manifest;
  return {{"version", valid_utf8(manifest.version)}, {"namespace", valid_utf8(manifest.op_namespace)},
          {"set", valid_utf8(manifest.set)},         {"release", valid_utf8(manifest.release)},
          {"keys", texts(manifest.keys())},          {"defines", manifest.defines.size()},
          {"level", valid_utf8(verdict.cpu_level)},  {"torch", valid_utf8(manifest.torch.version)}};
}

bool contains(const std::vector<std::size_t>& files, std::size_t file) {
  return std::find(files.begin(), files.end(), file) != files.end();
}

bool is_in_process(const Report& report, std::size_t file) {
  const OpenOutcome* outcome = outcome_of(report, file);
  return contains(report.plan.already, file) || (outcome && outcome->opened);
}

// The verdict's reasons, and what a load came upon.
Json all_reasons(const Report& report, std::size_t file) {
  const Verdict& verdict = report.plan.files[file];
  Json reasons = reasons_json(verdict.reasons);
  const OpenOutcome* outcome = outcome_of(report, file);
  if (outcome && outcome->reason) reasons.push_back(to_json(*outcome->reason));
  for (const Finding& finding : report.findings) {
    if (finding.file == verdict.file.path) reasons.push_back(to_json(finding.reason));
  }
  return reasons;
}

Json paths_json(const Report& report, const std::vector<std::size_t>& files, std::string CandidateFile::* path) {
  Json array = Json::array();
  for (const std::size_t file : files) array.push_back(valid_utf8(report.plan.files[file].file.*path));
  return array;
}

Json file_json(const Report& report, std::size_t index) {
  const Verdict& verdict = report.plan.files[index];
  Json json;
  json["path"] = valid_utf8(verdict.file.path);
  json["real_path"] = valid_utf8(verdict.file.real_path);
  json["name"] = valid_utf8(verdict.name);
  json["verdict"] = to_text(verdict.kind);
  json["loads"] = verdict.loads ? Json(*verdict.loads) : Json(nullptr);
  json["reasons"] = all_reasons(report, index);
  json["harmless"] = is_harmless(verdict);
  json["notes"] = texts(verdict.notes);
  json["manifest"] = manifest_json(verdict);
  if (report.applied && contains(report.plan.order, index)) {
    json["opened"] = is_in_process(report, index);
    json["already"] = contains(report.plan.already, index);
  }
  return json;
}

}  // namespace

Json to_json(const Reason& reason) {
  return {{"code", token(reason.code)},
          {"subject", valid_utf8(reason.subject)},
          {"expected", valid_utf8(reason.expected)},
          {"found", valid_utf8(reason.found)},
          {"hint", valid_utf8(reason.hint)}};
}

Json to_json(const TorchFacts& torch) {
  Json build_ids = Json::object();
  for (const auto& [file, id] : torch.build_ids) build_ids[valid_utf8(file)] = valid_utf8(id);
  return {{"version", valid_utf8(torch.version)},     {"git", valid_utf8(torch.git)},
          {"cuda", valid_utf8(torch.cuda)},           {"hip", valid_utf8(torch.hip)},
          {"cxx11_abi", valid_utf8(torch.cxx11_abi)}, {"lib_dir", valid_utf8(torch.lib_dir)},
          {"build_ids", std::move(build_ids)},        {"mapped", torch.mapped},
          {"cuda_mapped", torch.cuda_mapped},         {"python", valid_utf8(torch.python)}};
}

Json to_json(const Report& report) {
  const LoadPlan& plan = report.plan;
  Json files = Json::array();
  for (std::size_t file = 0; file < plan.files.size(); ++file) files.push_back(file_json(report, file));
  std::vector<std::size_t> opened;
  std::copy_if(plan.order.begin(), plan.order.end(), std::back_inserter(opened),
               [&](std::size_t file) { return is_in_process(report, file); });
  Json json;
  json["format"] = kReportFormat;
  json["succeeded"] = succeeded(report);
  json["host"] = to_json(report.host);
  json["torch"] = report.torch ? to_json(*report.torch) : Json(nullptr);
  json["folders"] = texts(report.folders);
  json["folder_notes"] = reasons_json(report.folder_notes);
  json["files"] = std::move(files);
  json["order"] = paths_json(report, plan.order, &CandidateFile::path);
  json["opened"] = paths_json(report, opened, &CandidateFile::real_path);
  json["missing"] = reasons_json(plan.missing);
  json["notes"] = texts(notes_of(report));
  json["tainted"] = plan.tainted;
  json["applied"] = report.applied;
  return json;
}

bool is_harmless(const Verdict& verdict) {
  return !verdict.reasons.empty() && std::all_of(verdict.reasons.begin(), verdict.reasons.end(),
                                                 [](const Reason& reason) { return myops::is_harmless(reason.code); });
}

std::vector<std::string> notes_of(const Report& report) {
  std::vector<std::string> notes = report.notes;
  notes.insert(notes.end(), report.plan.notes.begin(), report.plan.notes.end());
  return notes;
}

const OpenOutcome* outcome_of(const Report& report, std::size_t file) {
  const auto outcome = std::find_if(report.outcomes.begin(), report.outcomes.end(),
                                    [&](const OpenOutcome& candidate) { return candidate.file == file; });
  return outcome == report.outcomes.end() ? nullptr : &*outcome;
}

bool succeeded(const Report& report) {
  const auto opened = [](const OpenOutcome& outcome) { return outcome.opened || outcome.already; };
  return report.plan.missing.empty() && report.findings.empty() &&
         std::all_of(report.outcomes.begin(), report.outcomes.end(), opened);
}

}  // namespace myops::rules
